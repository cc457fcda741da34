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

    @Test func `names the nonce where an answer can be signed, and nowhere else`() throws {
        let document = try #require(try Yams.load(yaml: APIDescription.text) as? [String: Any])
        var signed = 0
        for (path, item) in try #require(document["paths"] as? [String: Any]) {
            for (method, operation) in try #require(item as? [String: Any]) {
                guard let operation = operation as? [String: Any] else { continue }
                let parameters = operation["parameters"] as? [[String: Any]] ?? []
                let takesNonce = parameters.contains { $0["$ref"] as? String == "#/components/parameters/nonce" }
                let success = (operation["responses"] as? [String: Any])?["200"] as? [String: Any]
                let isSigned = (success?["headers"] as? [String: Any])?["Counterfoil-Signature"] != nil
                #expect(takesNonce == isSigned, "\(method) \(path)")
                signed += isSigned ? 1 : 0
            }
        }
        #expect(signed > 0)
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
