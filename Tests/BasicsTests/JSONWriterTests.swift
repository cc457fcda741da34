import Basics
import Foundation
import TestSupport
import Testing

@Suite struct `JSON writer` {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter(capacity: 1)
        write(&json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test func `A JSON writer puts commas between members and elements`() {
        let text = text { json in
            json.object { json in
                json.member("a", "b")
                json.member("none", nil as String?)
                json.member("list", [1, 2]) { $0.number($1) }
                json.member("inner") { $0.member("flag", true) }
                json.member("uuid", UUID(uuidString: "0F8FAD5B-D9CB-469F-A165-70867728950E"))
                json.key("nothing")
                json.null()
                json.key("raw")
                json.raw(Array("{}".utf8))
            }
        }
        #expect(
            text == """
                {"a":"b","list":[1,2],"inner":{"flag":true},"uuid":"0f8fad5b-d9cb-469f-a165-70867728950e",\
                "nothing":null,"raw":{}}
                """)
    }

    @Test(arguments: [0, 7, -7, 10, .max, .min] as [Int64]) func `A JSON writer writes integers like Swift`(
        _ number: Int64
    ) {
        #expect(text { $0.number(number) } == "\(number)")
    }

    @Test func `A JSON writer escapes every character like Foundation`() async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        for await scalar in Yielding((0...0x2100).compactMap(Unicode.Scalar.init)) {
            let string = "x\(Character(scalar))y"
            #expect(text { $0.string(string) } == String(decoding: try encoder.encode(string), as: UTF8.self))
        }
    }
}
