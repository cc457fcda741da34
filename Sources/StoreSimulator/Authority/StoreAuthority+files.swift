package import Foundation
internal import SwiftASN1
internal import X509

extension StoreAuthority {
    /// Writes the certificates, in DER (`.cer`) and PEM, for other tools to trust: `root`, `intermediate`, `leaf`, and of
    /// the authority for receipts, if it was made, `receipt-root`, `receipt-intermediate` and `receipt-leaf`. No key.
    ///
    /// - Returns: The files.
    @discardableResult
    package func write(to directory: URL) throws(StoreAuthorityError) -> [URL] {
        let current = current
        var certificates = [("root", root), ("intermediate", current.intermediate), ("leaf", current.leaf)]
        if let receipts = receiptAuthorityIfMade {
            certificates += [
                ("receipt-root", receipts.root), ("receipt-intermediate", receipts.intermediate),
                ("receipt-leaf", receipts.leaf),
            ]
        }
        var files: [URL] = []
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            for (name, issued) in certificates {
                let (der, pem) = (directory.appending(path: "\(name).cer"), directory.appending(path: "\(name).pem"))
                try Data(issued.der).write(to: der, options: .atomic)
                try Data((issued.certificate.serializeAsPEM().pemString + "\n").utf8).write(to: pem, options: .atomic)
                files += [der, pem]
            }
        } catch {
            throw StoreAuthorityError(.unwritableFile, "the certificates cannot be written")
        }
        return files
    }
}

extension StoreAuthority {
    /// What the leaves' certificates say can be fetched below the OCSP base URL: `intermediate.cer`, as
    /// `application/pkix-cert`. Also `root.cer`, for people. Nil for any other name.
    package func published(_ name: some StringProtocol) -> Data? {
        switch name {
        case "intermediate.cer": Data(current.intermediate.der)
        case "root.cer": Data(root.der)
        default: nil
        }
    }
}

extension StoreAuthority: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "authority of \(configuration.name), \(generations.count) leaves" }
    package var debugDescription: String { description }
    // A dump must not walk into the keys.
    package var customMirror: Mirror { Mirror(self, children: ["name": configuration.name]) }
}

extension Issued: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "certificate of \(certificate.subject) with its key" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["subject": "\(certificate.subject)"]) }
}
