import AppStoreModels
import Foundation
import StoreSimulator
import Testing

@Suite struct `The body of a request` {
    func body(_ json: String) throws -> RequestBody { try RequestBody(Array(json.utf8)) }

    @Test(arguments: [
        "", "[]", "null", "1", "{", "{}x", "{} {}", #"{"a":1,"a":2}"#, #"{"a":}"#, "{\"a\":\"\u{1}\"}",
        "\u{FEFF}{}", #"{"a":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
        "{" + (0..<600).map { "\"a\($0)\":0" }.joined(separator: ",") + "}",
        #"{"a":""# + String(repeating: "a", count: 256 * 1024) + #""}"#,
    ])
    func `A body that is not one JSON object, or is too large, has status 400 without a code`(_ json: String) throws {
        let failure = try #require(try failure { try body(json) })
        #expect(failure.status == 400)
        #expect(failure.code == nil)
        let bytes = [UInt8]([0x7B, 0xFF, 0x7D])
        #expect(throws: APIFailure.self) { try RequestBody(bytes) }
    }

    @Test func `RequestBody reads fields of every type`() throws {
        let uuid = "48C8B92D-CE0D-4229-BEDF-E61B4F9CFC92"
        let body = try body(
            """
            {"s": "é", "b": true, "i": 90, "d": 1760000000123, "u": "\(uuid.lowercased())", "e": "", "n": null,
            "o": {"s": "x"}, "l": [{"i": 1}, {"i": 2}], "t": ["USA", "JPN"], "f": 1.5}
            """)
        #expect(try body.string("s", or: nil) == "é")
        #expect(try body.bool("b", or: nil) == true)
        #expect(try body.int("i", in: 1...90, or: nil) == 90)
        #expect(try body.date("d", or: nil).millisecondsSince1970 == 1_760_000_000_123)
        #expect(try body.uuid("u", or: nil).uuidString == uuid)
        #expect(try body.uuidIfPresent("e", emptyIsNone: true, or: nil) == nil)
        #expect(try body.stringIfPresent("n", or: nil) == nil)
        #expect(!body.has("n") && !body.has("absent") && body.has("e"))
        #expect(try body.object("o", or: nil).string("s", or: nil) == "x")
        #expect(try body.objects("l", or: nil).map { try $0.int("i", or: nil) } == [1, 2])
        #expect(try body.stringsIfPresent("t", or: nil) == ["USA", "JPN"])
    }

    @Test func `A value of another type throws the field's code, with the field's path in the message`() throws {
        let body = try body(
            """
            {"extendByDays": "90", "f": 1.5, "big": 9223372036854775808, "d": 9223372036854775807, "u": "x", "e": "",
            "s": 1, "l": [{"i": []}], "t": ["a", 1], "v": "V"}
            """)
        let failures: [(APIFailure?, String)] = [
            (try failure { try body.int("extendByDays", or: .invalidExtendByDays) }, "extendByDays is a string"),
            (try failure { try body.int("f", or: .invalidExtendByDays) }, "f is a number"),
            (try failure { try body.int("big", or: .invalidExtendByDays) }, "big is a number"),
            (try failure { try body.date("d", or: .invalidExtendByDays) }, "d is not an instant"),
            (try failure { try body.uuid("u", or: .invalidExtendByDays) }, "u is not a UUID"),
            (try failure { try body.uuidIfPresent("e", or: .invalidExtendByDays) }, "e is not a UUID"),
            (try failure { try body.string("s", or: .invalidExtendByDays) }, "s is a whole number"),
            (try failure { try body.bool("s", or: .invalidExtendByDays) }, "s is a whole number"),
            (try failure { try body.object("s", or: .invalidExtendByDays) }, "s is a whole number"),
            (try failure { try body.objects("s", or: .invalidExtendByDays) }, "s is a whole number"),
            (try failure { try body.objects("t", or: .invalidExtendByDays) }, "t[0] is a string"),
            (try failure { try body.stringsIfPresent("t", or: .invalidExtendByDays) }, "t[1] is a whole number"),
            (try failure { try body.int("absent", or: .invalidExtendByDays) }, "absent is missing"),
            (
                try failure {
                    _ = try body.value("v", of: [RetentionHeaderPosition.aboveBody], or: .invalidExtendByDays)
                },
                "v has an unknown value"
            ),
            (
                try failure { try body.objects("l", or: nil).first?.int("i", or: .invalidExtendByDays) },
                "l[0].i is an array"
            ),
        ]
        for (failure, message) in failures {
            let failure = try #require(failure)
            #expect(failure.code == .invalidExtendByDays)
            #expect(failure.message.hasPrefix(message), "\(failure.message)")
        }
    }

    @Test func `A missing field and an invalid field throw the codes that the caller passes`() throws {
        let body = try body(#"{"SKU": 1}"#)
        #expect(try failure { try body.string("SKU", missing: .nullSKU, or: .invalidSKU) }?.code == .invalidSKU)
        #expect(try failure { try body.string("x", missing: .nullSKU, or: .invalidSKU) }?.code == .nullSKU)
        let failure = try #require(try failure { try body.string("SKU", or: nil) })
        #expect(failure.code == nil)
        #expect(failure.status == 400)
    }

    @Test func `The length limit of a string counts Unicode scalars`() throws {
        let text = String(repeating: "é", count: 66)
        #expect(
            try body(#"{"h": "\#(text)"}"#).string("h", upTo: 66, tooLong: .headerTooLong, or: nil) == text)
        let long = try body(#"{"h": "e\#(String(repeating: "\u{301}", count: 66))"}"#)
        #expect(
            try failure { try long.string("h", upTo: 66, tooLong: .headerTooLong, or: nil) }?.code == .headerTooLong)
    }

    @Test func `A body that cannot be decoded as a model has status 400 without a code`() throws {
        let bytes = Array(#"{"realtimeURL": "https://example.com"}"#.utf8)
        #expect(try RequestBody.decode(RealtimeUrlRequest.self, from: bytes).realtimeURL == "https://example.com")
        for json in [#"{"realtimeURL": 1}"#, "{}", "x"] {
            let failure = try #require(
                try failure { try RequestBody.decode(RealtimeUrlRequest.self, from: Array(json.utf8)) })
            #expect(failure.status == 400)
            #expect(failure.code == nil)
        }
    }
}
