internal import Basics
internal import Crypto
public import Foundation
internal import SwiftASN1
package import X509

/// The root certificates at which a chain may end. A root is identified by the SHA-256 of its DER encoding.
public struct TrustAnchors: Sendable, Hashable {
    /// The names shown in traces, by fingerprint (32 bytes).
    private let names: [[UInt8]: String]
    /// The known expiration dates, by fingerprint.
    private let ends: [[UInt8]: Date]

    /// Creates anchors from fingerprints (32 bytes), with names and expiration dates.
    package init(names: [[UInt8]: String], ends: [[UInt8]: Date] = [:]) { (self.names, self.ends) = (names, ends) }

    /// Apple Root CA, Apple Root CA - G2 and Apple Root CA - G3.
    ///
    /// A SHA-256 fingerprint identifies the certificate, so it does not have to be downloaded: signed data and receipts
    /// contain it.
    public static let apple = TrustAnchors(
        names: [root: "Apple Root CA", rootG2: "Apple Root CA - G2", rootG3: "Apple Root CA - G3"],
        // 2035-02-09 21:40:36, 2039-04-30 18:10:09 and 18:19:06 UTC.
        ends: [
            root: Date(timeIntervalSince1970: 2_054_670_036), rootG2: Date(timeIntervalSince1970: 2_187_799_809),
            rootG3: Date(timeIntervalSince1970: 2_187_800_346),
        ])
    /// The fingerprint of Apple Root CA, in hexadecimal.
    package static let appleRootFingerprint = "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"
    private static let root = fingerprint(appleRootFingerprint)
    private static let rootG2 = fingerprint("c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050")
    private static let rootG3 = fingerprint("63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")

    /// Creates anchors from certificates, each in PEM (one or more in a text) or DER.
    ///
    /// - Throws: ``VerificationError`` with code `certificate_malformed` if one cannot be read or there is none.
    public init(certificates: [Data]) throws(VerificationError) {
        var names: [[UInt8]: String] = [:]
        var ends: [[UInt8]: Date] = [:]
        for data in certificates {
            for (der, certificate) in try CertificateFile.read(data) {
                let fingerprint = Array(SHA256.hash(data: der))
                (names[fingerprint], ends[fingerprint]) = (certificate.shortName, certificate.notValidAfter)
            }
        }
        guard !names.isEmpty else { throw VerificationError(.certificateMalformed, "no certificate was found") }
        (self.names, self.ends) = (names, ends)
    }

    /// Creates anchors from PEM or DER files, or from all `.pem`, `.cer`, `.crt` and `.der` files in folders.
    ///
    /// - Throws: ``VerificationError`` with code `certificate_malformed` if a file cannot be read, or a folder or
    ///   all files have no certificate, `too_large` for a file of more than 1 MiB.
    public init(contentsOf locations: [URL]) throws(VerificationError) {
        try self.init(certificates: CertificateFile.contents(of: locations))
    }

    /// Returns the anchors of both collections.
    public func union(_ others: TrustAnchors) -> TrustAnchors {
        TrustAnchors(
            names: names.merging(others.names) { mine, _ in mine }, ends: ends.merging(others.ends) { mine, _ in mine })
    }

    /// The expiration date of each anchor, the earliest first. From then on, data signed under it are refused unless
    /// they are verified as of their signing date.
    public var expirations: [(name: String, date: Date)] {
        ends.compactMap { fingerprint, date in names[fingerprint].map { ($0, date) } }
            .sorted { ($0.date, $0.name) < ($1.date, $1.name) }
    }

    /// Returns the anchors that expire within a year of an instant, or have expired, and need to be replaced.
    public func expiringSoon(asOf now: Date) -> [(name: String, date: Date)] {
        expirations.filter { $0.date < now + 366 * 86_400 }
    }

    /// Returns the anchor's name if `der` equals one of the anchors byte for byte.
    package func name(ofRoot der: some Sequence<UInt8> & ContiguousBytes) -> String? {
        names[der.withUnsafeBytes { Array(SHA256.hash(data: $0)) }]
    }

    /// Returns the name of the anchor with this SHA-256 fingerprint, in hexadecimal.
    package func name(ofFingerprint hexadecimal: String) -> String? {
        Array(hexadecimal: hexadecimal).flatMap { names[$0] }
    }

    private static func fingerprint(_ hexadecimal: String) -> [UInt8] {
        Array(hexadecimal: hexadecimal) ?? []
    }
}

/// Reads certificate files.
package enum CertificateFile {
    /// The maximum file size, far above any bundle of roots.
    package static let maximumBytes = 1 << 20

    /// Returns all certificates in the data of a DER or PEM file, each with its exact DER bytes.
    package static func read(_ data: Data) throws(VerificationError) -> [(der: [UInt8], certificate: Certificate)] {
        let ders: [[UInt8]]
        if data.first == 0x30 {
            ders = [Array(data)]
        } else {
            do {
                ders = try PEMDocument.parseMultiple(pemString: String(decoding: data, as: UTF8.self))
                    .filter { $0.discriminator == "CERTIFICATE" }.map(\.derBytes)
            } catch {
                throw VerificationError(.certificateMalformed, "the file is neither PEM nor DER")
            }
        }
        do {
            return try ders.map { (der: $0, certificate: try Certificate(derEncoded: $0)) }
        } catch {
            throw VerificationError(.certificateMalformed, CertificateProblem.reason(of: error))
        }
    }

    /// Returns the contents of files, and of the certificate files in folders, sorted by name.
    package static func contents(of locations: [URL]) throws(VerificationError) -> [Data] {
        var contents: [Data] = []
        for location in locations {
            do {
                for file in try files(at: location) {
                    let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
                    guard size <= maximumBytes else {
                        throw VerificationError(.tooLarge, "\(file.path) is larger than \(maximumBytes) bytes")
                    }
                    contents.append(try Data(contentsOf: file))
                }
            } catch let error as VerificationError {
                throw error
            } catch {
                throw VerificationError(.certificateMalformed, "cannot read \(location.path)")
            }
        }
        return contents
    }

    private static func files(at location: URL) throws -> [URL] {
        guard try location.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true else { return [location] }
        let all = try FileManager.default.contentsOfDirectory(at: location, includingPropertiesForKeys: [.fileSizeKey])
        let files = all.filter { ["pem", "cer", "crt", "der"].contains($0.pathExtension.lowercased()) }
        guard !files.isEmpty else {
            throw VerificationError(.certificateMalformed, "\(location.path) contains no certificate file")
        }
        return files.sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
