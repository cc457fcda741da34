internal import AppStoreTrust
public import Foundation

/// Certificates that help to build a chain and are not trusted for it: the intermediates that transaction receipts leave
/// out, and the roots above them. A root in it has to be an anchor all the same.
public struct CertificatePool: Sendable, Hashable {
    /// DER encoded.
    let ders: [[UInt8]]

    /// No certificates.
    public static let empty = CertificatePool(ders: [])

    private init(ders: [[UInt8]]) { self.ders = ders }

    /// Certificates, each PEM (one or several in a text) or DER.
    ///
    /// - Throws: ``VerificationError`` with code `certificate_malformed` when one cannot be read or nothing holds one.
    public init(certificates: [Data]) throws(VerificationError) {
        var ders: [[UInt8]] = []
        for data in certificates { ders += try CertificateFile.read(data).map(\.der) }
        guard !ders.isEmpty || certificates.isEmpty else {
            throw VerificationError(.certificateMalformed, "what was given holds no certificate in PEM or DER")
        }
        self.ders = ders
    }

    /// Certificates from files, PEM or DER, or from all certificate files of folders.
    ///
    /// - Throws: ``VerificationError`` with code `certificate_malformed` when a file cannot be read or none holds one,
    ///   `too_large` for a file of more than 1 MiB.
    public init(contentsOf locations: [URL]) throws(VerificationError) {
        try self.init(certificates: CertificateFile.contents(of: locations))
    }
}
