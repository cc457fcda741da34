import AppStoreModels
import Foundation
import StoreSimulator
import Testing

@Suite struct `Query parameters of the simulator` {
    @Test func `Query parameters are decoded, and repeated names keep their order`() throws {
        let query = try QueryParameters("productId=a%2Fb&productId=c+d&x=%C3%A9&empty=&flag&&=1")
        #expect(try query.strings("productId", or: .invalidProductId) == ["a/b", "c d"])
        #expect(try query.string("x", or: .invalidProductId) == "é")
        #expect(query.pairs.count == 6)
        #expect(try query.string("absent", or: .invalidSort) == nil)
        #expect(try query.strings("absent", or: .invalidSort) == [])
    }

    @Test func `An empty query has no parameters: Node's client ends every URL with a question mark`() throws {
        #expect(try QueryParameters("").pairs.isEmpty)
    }

    @Test(
        arguments: ["a=%", "a=%4", "a=%GG", "%ff=1", "a=%C3", String(repeating: "a", count: 20_000)]
            + [String(repeating: "a&", count: 501)])
    func `A query that is malformed or too large has status 400 without a code`(_ text: String) throws {
        let failure = try failure { try QueryParameters(text) }
        #expect(failure?.status == 400)
        #expect(failure?.code == nil)
    }

    @Test func `A Boolean parameter is true, True, false or False`() throws {
        for (text, value) in [("true", true), ("True", true), ("false", false), ("False", false)] {
            #expect(try QueryParameters("revoked=\(text)").bool("revoked", or: .invalidRevoked) == value)
        }
        for text in ["TRUE", "1", "", "yes"] {
            let query = try QueryParameters("revoked=\(text)")
            let found = try code { try query.bool("revoked", or: .invalidRevoked) }
            #expect(found == .invalidRevoked)
        }
    }

    @Test func `A date parameter is a whole number of milliseconds`() throws {
        let query = try QueryParameters("startDate=1760000000123&endDate=-1")
        #expect(try query.date("startDate", or: .invalidStartDate)?.millisecondsSince1970 == 1_760_000_000_123)
        #expect(try query.date("endDate", or: .invalidEndDate) == Date(timeIntervalSince1970: -0.001))
        for text in ["", "x", "1.5", "1e3", "%2B5", "9223372036854775807", "99999999999999999999", "2025-10-09"] {
            let query = try QueryParameters("startDate=\(text)")
            let found = try code { try query.date("startDate", or: .invalidStartDate) }
            #expect(found == .invalidStartDate, "\(text)")
        }
    }

    @Test func `A second value of a single-valued parameter is refused`() throws {
        let query = try QueryParameters("sort=ASCENDING&sort=ASCENDING")
        let found = try code { try query.string("sort", or: .invalidSort) }
        #expect(found == .invalidSort)
    }

    @Test func `Number and enumeration parameters accept only known values`() throws {
        let sizes: [RetentionImageSize] = [.fullSize, .bulletPoint]
        let query = try QueryParameters("status=1&status=5&imageSize=FULL_SIZE&limit=100")
        #expect(try query.ints("status", in: 1...5, or: .invalidStatus) == [1, 5])
        #expect(try query.int("limit", in: 1...100, or: .invalidLimit) == 100)
        #expect(try query.value("imageSize", of: sizes, or: .badRequestImageSize) == .fullSize)
        #expect(try query.values("imageSize", of: sizes, or: .badRequestImageSize) == [.fullSize])
        let wrong = try QueryParameters("status=6&imageSize=HUGE&limit=101")
        #expect(try code { try wrong.ints("status", in: 1...5, or: .invalidStatus) } == .invalidStatus)
        #expect(try code { try wrong.int("limit", in: 1...100, or: .invalidLimit) } == .invalidLimit)
        #expect(
            try code { try wrong.value("imageSize", of: sizes, or: .badRequestImageSize) } == .badRequestImageSize)
        #expect(
            try code { try wrong.values("imageSize", of: sizes, or: .badRequestImageSize) } == .badRequestImageSize)
    }
}
