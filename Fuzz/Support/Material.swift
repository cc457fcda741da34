import AppStoreTrust
package import Foundation

/// The files beside the harnesses.
package enum Material {
    package static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// A folder of genuine data beside the repository, which may be absent.
    package static let fixtures = folder.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/fixtures")

    /// The certificates of the throw-away authorities that signed the seeds; their keys are gone.
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

    /// The seeds of a target.
    package static func seeds(_ target: String) throws -> [Data] {
        try contents(of: folder.appending(path: "Corpus").appending(path: target))
    }

    /// All files of a folder; none if there is no such folder.
    package static func contents(of folder: URL) throws -> [Data] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
            .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true }
            .map { try Data(contentsOf: $0) }
    }
}

/// An instant at which all certificates of the seeds are valid, and most genuine ones were.
package let present = Date(timeIntervalSince1970: 1_760_000_000)
