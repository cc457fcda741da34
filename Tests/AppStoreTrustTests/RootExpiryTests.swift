import AppStoreTrust
import Foundation
import TestSupport
import Testing

@Suite struct `Expiration of root certificates` {
    private static func date(_ year: Int, _ month: Int, _ day: Int) throws -> Date {
        try Date("\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)T00:00:00Z", strategy: .iso8601)
    }

    @Test func `The expiry of Apple's roots is known, and announced a year before`() throws {
        #expect(
            TrustAnchors.apple.expirations.map(\.name) == ["Apple Root CA", "Apple Root CA - G2", "Apple Root CA - G3"])
        #expect(TrustAnchors.apple.expiringSoon(asOf: try Self.date(2034, 2, 1)).isEmpty)
        #expect(TrustAnchors.apple.expiringSoon(asOf: try Self.date(2034, 2, 10)).map(\.name) == ["Apple Root CA"])
        #expect(TrustAnchors.apple.expiringSoon(asOf: try Self.date(2039, 5, 1)).count == 3)
    }

    @Test(.enabled(if: Fixtures.hasSignedData, "\(Fixtures.absence)"))
    func `The known expiry of a root equals that of its certificate`() throws {
        let file = Fixtures.folder.appending(path: "apple-roots/AppleRootCA-G3.cer")
        let root = try #require(TrustAnchors(certificates: [Data(contentsOf: file)]).expirations.first)
        let known = TrustAnchors.apple.expirations.first { $0.name == "Apple Root CA - G3" }
        #expect(known?.date == root.date)
    }

    @Test func `A union of trust anchors has the expiry of all roots`() throws {
        let other = TrustAnchors(names: [[1]: "Other"], ends: [[1]: try Self.date(2030, 1, 1)])
        let both = TrustAnchors.apple.union(other)
        #expect(both.expirations.first?.name == "Other" && both.expirations.count == 4)
        #expect(both.expiringSoon(asOf: try Self.date(2029, 6, 1)).map(\.name) == ["Other"])
    }

    @Test func `A certificate is valid through the whole last second of its validity`() {
        let end = Date(timeIntervalSince1970: 1_700_000_000)
        let certificate = CertificateSummary(
            subject: "CN=Root", issuer: "CN=Root", serialNumber: "01", notBefore: end - 3600, notAfter: end,
            fingerprint: "")
        for instant in [end - 3600, end, end + 0.999] {
            #expect(throws: Never.self) { try certificate.requireValid(at: instant) }
        }
        for instant in [end - 3600.001, end + 1] {
            #expect(throws: VerificationError(.expiredOrNotYetValid, "")) { try certificate.requireValid(at: instant) }
        }
    }
}
