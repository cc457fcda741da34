import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing
import Yams

/// A file that describes an API, and what the program has of it.
struct OpenAPIFile: Sendable, CustomTestStringConvertible {
    var path: String
    var embedded: String

    var testDescription: String { path }

    static let all = [
        OpenAPIFile(path: "Sources/CounterfoilServer/API/openapi.yaml", embedded: APIDescription.text),
        OpenAPIFile(path: "Sources/StoreSimulator/Control/openapi.yaml", embedded: ControlDescription.text),
    ]
}

@Suite struct `A file that describes an API` {
    @Test(arguments: OpenAPIFile.all)
    func `is embedded as it is: otherwise run Scripts/embed`(_ file: OpenAPIFile) throws {
        let text = try String(contentsOf: Fixtures.package.appending(path: file.path), encoding: .utf8)
        #expect(file.embedded == text)
    }

    /// In `{description: one, two}` the second word is a key, and nobody sees it.
    @Test(arguments: OpenAPIFile.all)
    func `has no key without a value`(_ file: OpenAPIFile) throws {
        let document = try #require(try Yams.load(yaml: file.embedded) as? [String: Any])
        func walk(_ value: Any, _ path: String) {
            if let object = value as? [String: Any] {
                for (name, member) in object { walk(member, "\(path)/\(name)") }
            } else if let list = value as? [Any] {
                for item in list { walk(item, path) }
            } else {
                #expect(!(value is NSNull), "\(path)")
            }
        }
        walk(document, "")
    }
}
