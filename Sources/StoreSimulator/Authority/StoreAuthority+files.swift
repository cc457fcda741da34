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
    /// A certificate that can be fetched below the OCSP base URL, as `application/pkix-cert`: `intermediate.cer`, which the
    /// leaves name, and `root.cer`, for people. Nil for any other name.
    package func published(_ name: some StringProtocol) -> Data? {
        switch name {
        case "intermediate.cer": Data(current.intermediate.der)
        case "root.cer": Data(root.der)
        default: nil
        }
    }

    /// What the root revoked, as `application/pkix-crl`. The intermediates name it as `root.crl` below the OCSP base URL.
    ///
    /// - Parameters:
    ///   - intermediate: How the OCSP responder answers for the intermediate. The list says the same, where a list can: it
    ///     has no word for what is unknown, and is never late or forged.
    ///   - times: The real time and the simulated one, and all between: the list holds by both clocks.
    package func revocationList(
        intermediate: OCSPService.Mode, times: ClosedRange<Date>
    ) throws(StoreAuthorityError) -> Data {
        var list = RevocationList(times: times)
        if case .revoked(let date) = intermediate {
            // The intermediate in all its issues. Most generations share one.
            var seen: Set<Certificate.SerialNumber> = []
            for generation in generations {
                let number = generation.intermediate.certificate.serialNumber
                if seen.insert(number).inserted { list.revoked.append((number, date)) }
            }
        }
        return try attempting("signing the list of revoked certificates") { try list.signed(by: root) }
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
