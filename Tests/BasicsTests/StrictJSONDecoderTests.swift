import Foundation
import Testing

@testable import Basics

@Suite struct `The strict JSON decoder` {
    /// A type with nested members, lists and objects.
    private struct Thing: Decodable {
        var name: String?
        var count: Int?
        var things: [Thing]?
        var inner: Inner?
    }

    private struct Inner: Decodable {
        var text: String
        var thing: [Thing]?
    }

    @Test(arguments: [
        (#"[]"#, []),
        (#"{"name":1}"#, ["name"]),
        (#"{"x":{"y":[1,{"z":2}]},"name":"a","count":"b"}"#, ["count"]),
        (#"{"inner":{"thing":[{},{"name":"a"},{"x":[[{}]],"count":true}],"text":"a"}}"#, ["inner", "thing", "count"]),
        (#"{"things":[{"inner":{"text":"a"}},{"inner":{"other":{},"text":5}}]}"#, ["things", "inner", "text"]),
        (#"{"things":[[]]}"#, ["things"]),
        (#"{"inner":null,"things":{}}"#, ["things"]),
    ])
    func `A type mismatch error has the coding path of the value`(_ text: String, _ path: [String]) throws {
        let error = #expect(throws: DecodingError.self) {
            try StrictJSONDecoder.decode(Thing.self, from: Array(text.utf8))
        }
        guard case .typeMismatch(_, let context)? = error else { Issue.record("\(text): \(error as Any)"); return }
        #expect(context.codingPath.map(\.stringValue) == path, "\(text)")
    }

    @Test(
        arguments: [
            ("1", 1), ("1.0", 1), ("-20.000", -20), ("0.0", 0), ("1764010800000.0", 1_764_010_800_000),
            ("999999999999999.00", 999_999_999_999_999), ("1000000000000000.0", nil), ("9223372036854775807", .max),
            ("1.5", nil), ("1.01", nil), ("1.0e0", nil), ("1e3", nil), (#""1.0""#, nil),
        ] as [(String, Int64?)])
    func `A whole number may have a fraction of zeros`(_ text: String, _ number: Int64?) {
        let json = Array("[\(text)]".utf8)
        #expect((try? StrictJSONDecoder.decode([Int64].self, from: json)) == number.map { [$0] })
        let small = number.flatMap { Int8(exactly: $0) }
        #expect((try? StrictJSONDecoder.decode([Int8].self, from: json)) == small.map { [$0] })
    }

    @Test func `A missing member error has the coding path of its object`() throws {
        let text = #"{"things":[{},{"inner":{"thing":[]}}]}"#
        let error = #expect(throws: DecodingError.self) {
            try StrictJSONDecoder.decode(Thing.self, from: Array(text.utf8))
        }
        guard case .keyNotFound(let key, let context)? = error else { Issue.record("\(error as Any)"); return }
        #expect(key.stringValue == "text" && context.codingPath.map(\.stringValue) == ["things", "inner"])
    }

    @Test(arguments: ["é", "😀", #"\""#, #"\\"#, #"\u00e9"#, "\u{1}", "\u{7f}", "\n", "\"", "a"])
    func `A string of any length decodes as with Foundation, whatever character it contains at any position`(
        _ letter: String
    ) throws {
        for count in 0...40 {
            for position in 0...count {
                let text =
                    String(repeating: "x", count: position) + letter + String(repeating: "y", count: count - position)
                let json = Array("[\"\(text)\",\"z\"]".utf8)
                let ours = try? StrictJSONDecoder.decode([String].self, from: json)
                let theirs = try? JSONDecoder().decode([String].self, from: Data(json))
                #expect(ours == theirs, "\(count) letters, at \(position)")
            }
        }
    }

    @Test(arguments: [2, 3, 20, 64, 65, 100])
    func `A repeated member name is refused at any two positions`(_ count: Int) throws {
        // Many names of one length, with the same first and last character.
        let names = (0..<count).map { "a\($0 / 10)b\($0 % 10)c" }
        func read(_ names: [String]) throws -> [String: Int] {
            let json = "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
            return try StrictJSONDecoder.decode([String: Int].self, from: Array(json.utf8))
        }
        #expect(try read(names).count == count)
        for (first, second) in [(0, 1), (0, count - 1), (count / 2, count - 1), (count - 2, count - 1)]
        where first != second {
            var repeated = names
            repeated[second] = names[first]
            #expect(throws: JSONProblem.repeatedMember) { try read(repeated) }
        }
    }

    /// Tries one type after the other, like decoders of arbitrary JSON.
    private enum Guess: Decodable, Equatable {
        case flag(Bool), text(String), number(Int), list([Guess])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .list(try container.decode([Guess].self))
            }
        }
    }

    /// Each failed attempt creates an error with a coding path, which must not scan preceding values or decode names.
    @Test(.timeLimit(.minutes(10)), arguments: [1, 4_000_000])
    func `Decoding a long list of guessed types takes linear time`(lettersInName count: Int) async throws {
        let name = String(repeating: "n", count: count)
        let json = "{\"\(name)\":[" + repeatElement("[1]", count: 200_000).joined(separator: ",") + "]}"
        // On a thread of its own, because one long call cannot let other tests run.
        let read = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<[String: [Guess]], any Error>) in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try StrictJSONDecoder.decode([String: [Guess]].self, from: Array(json.utf8))
                    })
            }
        }
        #expect(read[name]?.count == 200_000 && read[name]?.last == .list([.number(1)]))
    }

    @Test func `A text that is too long for the decoder's positions is refused`() throws {
        let text = Array("[1,2]".utf8)
        #expect(try JSONDocument(text, limit: text.count).values.count == 3)
        #expect(throws: JSONProblem.size) { try JSONDocument(text, limit: text.count - 1) }
    }
}
