internal import AppStoreTrust
public import Foundation

/// Certificates that help to build a chain but are not trusted: the intermediates that transaction receipts lack, and
/// the roots above them. A root in the pool is trusted only if it is an anchor.
public struct CertificatePool: Sendable, Hashable {
    /// The certificates, DER encoded.
    let ders: [[UInt8]]

    /// No certificates.
    public static let empty = CertificatePool(ders: [])

    private init(ders: [[UInt8]]) { self.ders = ders }

    /// Creates a pool from certificates, each in PEM (one or more in a text) or DER.
    ///
    /// - Throws: ``VerificationError`` with code `certificate_malformed` if one cannot be read or the data have none.
    public init(certificates: [Data]) throws(VerificationError) {
        var ders: [[UInt8]] = []
        for data in certificates { ders += try CertificateFile.read(data).map(\.der) }
        guard !ders.isEmpty || certificates.isEmpty else {
            throw VerificationError(.certificateMalformed, "the data contain no certificate in PEM or DER")
        }
        self.ders = ders
    }

    /// Creates a pool from PEM or DER files, or from all certificate files in folders.
    ///
    /// - Throws: ``VerificationError`` with code `certificate_malformed` if a file cannot be read, or a folder or
    ///   all files have no certificate, `too_large` for a file of more than 1 MiB.
    public init(contentsOf locations: [URL]) throws(VerificationError) {
        try self.init(certificates: CertificateFile.contents(of: locations))
    }
}
