package import Foundation
internal import SwiftASN1
internal import X509

extension StoreAuthority {
    /// Writes the certificates in DER (`.cer`) and PEM, so that other tools can trust them: `root`, `intermediate`,
    /// `leaf`, and, if the authority for receipts exists, `receipt-root`, `receipt-intermediate` and `receipt-leaf`.
    /// Writes no keys.
    package func write(to directory: URL) throws(SimulatorError) {
        let current = current
        var certificates = [("root", root), ("intermediate", current.intermediate), ("leaf", current.leaf)]
        if let receipts = existingReceiptAuthority {
            certificates += [
                ("receipt-root", receipts.root), ("receipt-intermediate", receipts.intermediate),
                ("receipt-leaf", receipts.leaf),
            ]
        }
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            for (name, issued) in certificates {
                let (der, pem) = (directory.appending(path: "\(name).cer"), directory.appending(path: "\(name).pem"))
                try Data(issued.der).write(to: der, options: .atomic)
                try Data((issued.certificate.serializeAsPEM().pemString + "\n").utf8).write(to: pem, options: .atomic)
            }
        } catch {
            throw SimulatorError(.unwritableDirectory, "the certificates cannot be written")
        }
    }

    /// Returns a certificate that is served below the OCSP base URL as `application/pkix-cert`: `intermediate.cer`,
    /// whose URL the leaves contain, or `root.cer`, for people. Returns nil for any other name.
    package func published(_ name: some StringProtocol) -> Data? {
        switch name {
        case "intermediate.cer": Data(current.intermediate.der)
        case "root.cer": Data(root.der)
        default: nil
        }
    }

    /// Returns the revocation list of the root, as `application/pkix-crl`. The intermediates contain its URL:
    /// `root.crl` below the OCSP base URL.
    ///
    /// - Parameters:
    ///   - intermediate: The mode of the OCSP responder for the intermediate. The list contains the revoked status; it
    ///     cannot express `unknown`, and it is never late, expired or forged.
    ///   - times: The range between the real and the simulated time. The list is valid by both clocks.
    package func revocationList(
        intermediate: OCSPService.Mode, times: ClosedRange<Date>
    ) throws(SimulatorError) -> Data {
        var list = RevocationList(times: times)
        if case .revoked(let date) = intermediate {
            // The intermediates of all generations. Most generations share one.
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
    // Keeps `dump` from printing the keys.
    package var customMirror: Mirror { Mirror(self, children: ["name": configuration.name]) }
}

extension Issued: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "certificate of \(certificate.subject) with its key" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["subject": "\(certificate.subject)"]) }
}
