import AppStoreTrust
import Foundation
import TestSupport
import Testing

@Suite struct `The end of roots` {
    private static func date(_ year: Int, _ month: Int, _ day: Int) throws -> Date {
        try Date("\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)T00:00:00Z", strategy: .iso8601)
    }

    @Test func `is known of Apple's, and noticed a year before`() throws {
        #expect(
            TrustAnchors.apple.expirations.map(\.name) == ["Apple Root CA", "Apple Root CA - G2", "Apple Root CA - G3"])
        #expect(TrustAnchors.apple.ending(soonAfter: try Self.date(2034, 2, 1)).isEmpty)
        #expect(TrustAnchors.apple.ending(soonAfter: try Self.date(2034, 2, 10)).map(\.name) == ["Apple Root CA"])
        #expect(TrustAnchors.apple.ending(soonAfter: try Self.date(2039, 5, 1)).count == 3)
    }

    @Test(.enabled(if: Fixtures.hasSignedData, "\(Fixtures.absence)"))
    func `is that of the certificate`() throws {
        let file = Fixtures.folder.appending(path: "apple-roots/AppleRootCA-G3.cer")
        let root = try #require(TrustAnchors(certificates: [Data(contentsOf: file)]).expirations.first)
        let known = TrustAnchors.apple.expirations.first { $0.name == "Apple Root CA - G3" }
        #expect(known?.date == root.date)
    }

    @Test func `stays known where Apple's and others are trusted together`() throws {
        let other = TrustAnchors(names: [[1]: "Other"], ends: [[1]: try Self.date(2030, 1, 1)])
        let both = TrustAnchors.apple.union(other)
        #expect(both.expirations.first?.name == "Other" && both.expirations.count == 4)
        #expect(both.ending(soonAfter: try Self.date(2029, 6, 1)).map(\.name) == ["Other"])
    }
}
