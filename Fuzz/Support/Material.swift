import AppStoreTrust
package import Foundation

/// The files of the harnesses: seeds, certificates and genuine data.
package enum Material {
    package static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of genuine data beside the repository. It may be missing.
    package static let fixtures = folder.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/fixtures")

    /// The certificates of the authorities that signed the seeds. Their private keys were not saved.
    package enum Certificate: String {
        case signedDataRoot = "signed-data-root.cer"
        case xcode = "xcode.cer"
        case receiptRoot = "receipt-root.cer"
        case receiptIntermediate = "receipt-intermediate.cer"
        case receiptOldIntermediate = "receipt-old-intermediate.cer"
        case receiptXcode = "receipt-xcode.cer"
    }

    package static func certificate(_ name: Certificate) throws -> Data {
        try Data(contentsOf: folder.appending(path: "Trust").appending(path: name.rawValue))
    }

    /// Returns the seeds of a target.
    package static func seeds(_ target: String) throws -> [Data] {
        try contents(of: folder.appending(path: "Corpus").appending(path: target))
    }

    /// Returns the contents of all files in a folder; an empty array if the folder does not exist.
    package static func contents(of folder: URL) throws -> [Data] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
            .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true }
            .map { try Data(contentsOf: $0) }
    }
}

/// An instant at which all certificates of the seeds are valid, and most genuine ones were.
package let present = Date(timeIntervalSince1970: 1_760_000_000)
