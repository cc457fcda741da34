internal import Basics
internal import Crypto
package import Foundation

extension CertificateSummary {
    /// Creates a summary of a certificate from its fields and its DER encoding.
    package init(
        subject: String, issuer: String, serialNumber: [UInt8], notBefore: Date, notAfter: Date, der: [UInt8]
    ) {
        self.init(
            subject: subject, issuer: issuer, serialNumber: serialNumber.hexadecimal.uppercased(), notBefore: notBefore,
            notAfter: notAfter, fingerprint: SHA256.hash(data: der).hexadecimal)
    }
}
