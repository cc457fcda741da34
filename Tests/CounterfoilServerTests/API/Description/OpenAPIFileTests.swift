import CounterfoilServer
import Foundation
import LedgerServices
import StoreSimulator
import TestSupport
import Testing
import Yams

/// An OpenAPI file and the copy that is embedded in the program.
struct OpenAPIFile: Sendable, CustomTestStringConvertible {
    var path: String
    var embedded: String

    var testDescription: String { path }

    static let all = [
        OpenAPIFile(path: "Sources/CounterfoilServer/API/openapi.yaml", embedded: APIDescription.text),
        OpenAPIFile(path: "Sources/StoreSimulator/Control/openapi.yaml", embedded: ControlDescription.text),
    ]
}

@Suite struct `OpenAPI files` {
    @Test(arguments: OpenAPIFile.all)
    func `The embedded text equals the OpenAPI file`(_ file: OpenAPIFile) throws {
        let text = try Fixtures.file(file.path)
        #expect(file.embedded == text)
    }

    @Test func `Every code with which the URL of a webhook is refused is described`() throws {
        // A host without an address is accepted, because it may have one later.
        let codes = WebhookTarget.Refusal.Code.allCases.filter { $0 != .unresolved }.map(\.rawValue)
        #expect(codes.count == 3)
        #expect(Set(codes).subtracting(try DescribedAPI.current.get().errorCodes) == [])
    }

    @Test func `Exactly the operations with a signed answer take a nonce`() throws {
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

    /// YAML reads `{description: one, two}` as a second key `two` without a value.
    @Test(arguments: OpenAPIFile.all)
    func `No key in the OpenAPI file lacks a value`(_ file: OpenAPIFile) throws {
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
