import AppStoreModels
import Foundation
import TestSupport
import Testing

@Suite struct `Instants` {
    static let limit: Int64 = 8_640_000_000_000_000

    static func item(_ date: String) -> String { #"{"attemptDate": \#(date), "sendAttemptResult": "SUCCESS"}"# }

    @Test func `Every integer in the range survives the conversion to a date and back`() throws {
        var integers: [Int64] = [
            0, 1, -1, 999, -999, 978_307_200_000, 978_307_199_999, -62_135_769_600_000, 1_759_727_785_445,
            Self.limit, -Self.limit, Self.limit - 1, -Self.limit + 1,
        ]
        var random = SeededGenerator(seed: 1)
        var bound: Int64 = 1000
        while bound < Self.limit {
            for _ in 0..<5000 { integers.append(.random(in: -bound...bound, using: &random)) }
            bound *= 10
        }
        for _ in 0..<50_000 { integers.append(.random(in: -Self.limit...Self.limit, using: &random)) }
        for integer in integers {
            guard Date(millisecondsSince1970: integer)?.millisecondsSince1970 != integer else { continue }
            Issue.record("\(integer) does not come back")
        }
    }

    @Test func `Dates are integers in JSON, whatever the date strategies of decoder and encoder`() throws {
        let decoder = JSONDecoder()
        let encoder = JSONEncoder()
        var random = SeededGenerator(seed: 2)
        for round in 0..<500 {
            decoder.dateDecodingStrategy = [.deferredToDate, .iso8601, .secondsSince1970][round % 3]
            encoder.dateEncodingStrategy = [.deferredToDate, .iso8601, .secondsSince1970][round % 3]
            let json = Self.item("\(Int64.random(in: -Self.limit...Self.limit, using: &random))")
            let item = try decoder.decode(SendAttemptItem.self, from: Data(json.utf8))
            #expect(try JSONValue(encoder.encode(item)) == JSONValue(json))
        }
    }

    @Test func `A decoded date equals Foundation's for the same instant`() throws {
        let item: SendAttemptItem = try decode(Self.item("1759727785500"))
        #expect(item.attemptDate == Date(timeIntervalSince1970: 1_759_727_785.5))
    }

    @Test(
        arguments: [
            ("1697679936049.7297", 1_697_679_936_049), ("-62135769600000.9", -62_135_769_600_000), ("0.9", 0),
            ("-0.9", 0), ("1.7e12", 1_700_000_000_000), ("1697679936049.0", 1_697_679_936_049),
        ] as [(String, Int64)])
    func `A date with a fraction of a millisecond is truncated toward zero`(_ number: String, _ milliseconds: Int64)
        throws
    {
        let item: SendAttemptItem = try decode(Self.item(number))
        #expect(item.attemptDate.millisecondsSince1970 == milliseconds)
        let optional: TransactionCommitmentInfo = try decode(#"{"commitmentExpiresDate": \#(number)}"#)
        #expect(optional.commitmentExpiresDate == item.attemptDate)
    }

    @Test(arguments: [
        "8640000000000001", "-8640000000000001", "8640000000000000e1", "9007199254740993", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "99999999999999999999", "1e300", "-1e300", "1e999",
        #""NaN""#, #""1759727785445""#, "true", "[]", "{}",
    ])
    func `A date out of range or of another type fails to decode`(_ number: String) {
        #expect(throws: DecodingError.self) { try decode(SendAttemptItem.self, Self.item(number)) }
        #expect(throws: DecodingError.self) {
            try decode(TransactionCommitmentInfo.self, #"{"commitmentExpiresDate": \#(number)}"#)
        }
    }

    @Test(arguments: ["NaN", "+", "-"])
    func `A date that a lenient decoder reads as no finite number fails to decode`(_ text: String) {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "NaN")
        #expect(throws: DecodingError.self) {
            try decoder.decode(SendAttemptItem.self, from: Data(Self.item("\"\(text)\"").utf8))
        }
    }

    @Test(arguments: [.nan, .infinity, -.infinity, 1e13, -1e13, 1e300])
    func `A date that is no integer in range fails to encode`(_ seconds: Double) {
        let item = SendAttemptItem(
            attemptDate: Date(timeIntervalSinceReferenceDate: seconds), sendAttemptResult: .success)
        let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(item) }
        // Foundation traps when it describes a date that is not a number, so the error must not contain one.
        #expect(error.map { String(reflecting: $0) }?.contains("not an instant") == true)
    }

    @Test(arguments: [limit, -limit])
    func `Dates at the ends of the range can be described`(_ milliseconds: Int64) throws {
        let item: SendAttemptItem = try decode(Self.item("\(milliseconds)"))
        #expect(!String(reflecting: item).isEmpty)
        #expect(!item.attemptDate.formatted(.iso8601).isEmpty)
    }

    @Test func `A date between two milliseconds is encoded as the nearer one`() throws {
        let item = SendAttemptItem(
            attemptDate: Date(timeIntervalSince1970: 1_759_727_785.4457), sendAttemptResult: .success)
        #expect(try encode(item) == JSONValue(Self.item("1759727785446")))
    }

    @Test func `The error for a missing date names its key`() {
        do {
            _ = try decode(SendAttemptItem.self, #"{"sendAttemptResult": "SUCCESS"}"#)
            Issue.record("decoded without its date")
        } catch DecodingError.keyNotFound(let key, _) {
            #expect(key.stringValue == "attemptDate")
        } catch {
            Issue.record("\(error)")
        }
    }
}
