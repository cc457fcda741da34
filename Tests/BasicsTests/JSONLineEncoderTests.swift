import Basics
import Foundation
import Testing

@Suite struct `Lines of JSON` {
    private enum Choice: Codable, Equatable {
        case none
        case some(Int)
        case named(a: String, b: [Double])
    }

    private struct Empty: Codable, Equatable {}

    private struct Value: Codable, Equatable {
        var text = "a\"\\\u{1}ü\u{2028}🎟️/"
        var numbers: [Double] = [0, -0.5, 1e300, .leastNonzeroMagnitude, 0.1, 1_767_225_600.123]
        var largest = UInt64.max
        var smallest = Int64.min
        var flag = true
        var empty = Empty()
        var missing: Int?
        var choices: [Choice] = [.none, .some(-1), .named(a: "", b: [])]
        var byName: [String: [Choice?]] = ["a": [nil, Choice.none], "": []]
        var byNumber: [Int: Empty] = [1: Empty()]
        var date = Date(timeIntervalSince1970: 1_767_225_600.123)
        var bytes: [UInt8] = [0, 255]
    }

    @Test func `Encoded lines are decoded to the same values`() throws {
        let encoder = JSONLineEncoder(capacity: 1)
        var second = Value()
        second.text = ""
        try encoder.encode(Value())
        try encoder.encode([second])
        try encoder.encode("plain")
        try encoder.encode(Empty())
        let lines = encoder.written.split(separator: UInt8(ascii: "\n")).map(Array.init)
        try #require(lines.count == 4)
        #expect(try StrictJSONDecoder.decode(Value.self, from: lines[0]) == Value())
        #expect(try StrictJSONDecoder.decode([Value].self, from: lines[1]) == [second])
        #expect(lines[2] == Array(#""plain""#.utf8) && lines[3] == Array("{}".utf8))
        encoder.removeAll()
        try encoder.encode(1)
        #expect(Array(encoder.written) == Array("1\n".utf8))
    }

    @Test func `A value that cannot be encoded leaves no partial line`() throws {
        let encoder = JSONLineEncoder(capacity: 1)
        try encoder.encode([1])
        #expect(throws: EncodingError.self) { try encoder.encode(["a": [[0, Double.nan]]]) }
        try encoder.encode(["b": 2])
        #expect(String(decoding: encoder.written, as: UTF8.self) == "[1]\n{\"b\":2}\n")
    }

    @Test func `A number that JSON cannot represent is refused`() {
        for number in [Double.nan, .infinity, -.infinity] {
            #expect(throws: EncodingError.self) { try JSONLineEncoder().encode([number]) }
        }
    }
}
