import Foundation
import Testing

@testable import Basics

@Suite struct `The strict JSON decoder` {
    /// Something with members, lists and objects in each other.
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
    func `says the way to what is of another type`(_ text: String, _ path: [String]) throws {
        let error = #expect(throws: DecodingError.self) {
            try StrictJSONDecoder.decode(Thing.self, from: Array(text.utf8))
        }
        guard case .typeMismatch(_, let context)? = error else { Issue.record("\(text): \(error as Any)"); return }
        #expect(context.codingPath.map(\.stringValue) == path, "\(text)")
    }

    @Test func `says where a member is missing`() throws {
        let text = #"{"things":[{},{"inner":{"thing":[]}}]}"#
        let error = #expect(throws: DecodingError.self) {
            try StrictJSONDecoder.decode(Thing.self, from: Array(text.utf8))
        }
        guard case .keyNotFound(let key, let context)? = error else { Issue.record("\(error as Any)"); return }
        #expect(key.stringValue == "text" && context.codingPath.map(\.stringValue) == ["things", "inner"])
    }

    @Test(arguments: ["é", "😀", #"\""#, #"\\"#, #"\u00e9"#, "\u{1}", "\u{7f}", "\n", "\"", "a"])
    func `reads texts of any length as Foundation does, whatever is at whatever place`(_ letter: String) throws {
        for count in 0...40 {
            for place in 0...count {
                let text = String(repeating: "x", count: place) + letter + String(repeating: "y", count: count - place)
                let json = Array("[\"\(text)\",\"z\"]".utf8)
                let ours = try? StrictJSONDecoder.decode([String].self, from: json)
                let theirs = try? JSONDecoder().decode([String].self, from: Data(json))
                #expect(ours == theirs, "\(count) letters, at \(place)")
            }
        }
    }

    @Test(arguments: [2, 3, 20, 64, 65, 100])
    func `refuses a name that is repeated, wherever the two are`(_ count: Int) throws {
        // Many of one length, with one first and one last letter.
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

    /// Tries one type after the other, as decoders of any JSON do.
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

    /// Each wrong guess makes an error that says the way: not past everything in front, and no name is read for it.
    @Test(.timeLimit(.minutes(1)), arguments: [1, 4_000_000])
    func `reads a long list of anything in a time that its length explains`(lettersInName count: Int) throws {
        let name = String(repeating: "n", count: count)
        let json = "{\"\(name)\":[" + repeatElement("[1]", count: 40_000).joined(separator: ",") + "]}"
        let read = try StrictJSONDecoder.decode([String: [Guess]].self, from: Array(json.utf8))
        #expect(read[name]?.count == 40_000 && read[name]?.last == .list([.number(1)]))
    }

    @Test func `refuses a text that is too long for its positions`() throws {
        let text = Array("[1,2]".utf8)
        #expect(try JSONDocument(text, limit: text.count).values.count == 3)
        #expect(throws: JSONProblem.size) { try JSONDocument(text, limit: text.count - 1) }
    }
}
