import CounterfoilServer
import Foundation
import Testing
import Yams

/// The server's OpenAPI description, and checks of responses against it.
struct DescribedAPI: @unchecked Sendable {
    typealias Object = [String: Any]

    /// The description that the server serves, parsed once.
    static let current: Result<DescribedAPI, any Error> = Result { try DescribedAPI() }

    let document: Object
    /// The known codes of errors, with those of signed data.
    let errorCodes: Set<String>
    private let operations: [(method: String, path: [String], name: String, responses: Object)]

    private init() throws {
        let document = try #require(try Yams.load(yaml: APIDescription.text).map(Self.native) as? Object)
        self.document = document
        var operations: [(method: String, path: [String], name: String, responses: Object)] = []
        for (path, item) in try #require(document["paths"] as? Object) {
            for (method, operation) in try #require(item as? Object) where method != "parameters" {
                let responses = try #require((operation as? Object)?["responses"] as? Object)
                let name = "\(method.uppercased()) \(path)"
                operations.append((method.uppercased(), Self.parts(of: path), name, responses))
            }
        }
        self.operations = operations
        func words(_ name: String, _ list: String) throws -> [String] {
            let schema = try Self.resolve("#/components/schemas/\(name)", document)
            return try #require(schema[list] as? [String], "\(name)")
        }
        errorCodes = Set(try words("ErrorCode", "examples") + words("VerificationCode", "enum"))
    }

    /// Returns a value of Yams with text keys. Its dictionaries are `[AnyHashable: Any]`, so each cast would copy one, and
    /// each check of a response makes hundreds of casts.
    private static func native(_ value: Any) -> Any {
        if let object = value as? Object { return object.mapValues(native) }
        if let list = value as? [Any] { return list.map(native) }
        return value
    }

    private static func parts(of path: String) -> [String] {
        path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    static func resolve(_ reference: String, _ document: [String: Any]) throws -> [String: Any] {
        var object = document
        for part in reference.split(separator: "/").dropFirst() {
            object = try #require(object[String(part)] as? [String: Any], "\(reference)")
        }
        return object
    }

    /// Records an issue for each difference between the JSON of a response and the operation's description. Responses
    /// of other paths are not checked.
    func check(_ method: String, _ path: String, status: Int, json: [String: Any]) {
        let parts = Self.parts(of: path)
        guard path.hasPrefix("/v1/"),
            let operation = operations.first(where: { $0.method == method && Self.matches(parts, $0.path) })
        else { return }
        let name = "\(operation.name) \(status)"
        let exact = operation.responses["\(status)"] as? Object
        guard let described = exact ?? (status < 400 ? Object?.none : operation.responses["default"] as? Object) else {
            Issue.record("\(name) is not described")
            return
        }
        if status >= 400, let code = json["code"] as? String {
            #expect(errorCodes.contains(code), "\(name): openapi.yaml does not list \(code)")
        }
        let content = resolved(described, name)["content"] as? Object
        if let schema = (content?["application/json"] as? Object)?["schema"] as? Object { check(json, schema, name) }
    }

    private static func matches(_ parts: [String], _ template: [String]) -> Bool {
        parts.count == template.count && zip(parts, template).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
    }

    /// Records an issue for each part of a value that differs from its schema, and for members that the schema lacks.
    func check(_ value: Any, _ schema: [String: Any], _ path: String) {
        let schema = resolved(schema, path)
        let (properties, required) = members(of: schema, path)
        if let constant = schema["const"] as? String { #expect(value as? String == constant, "\(path)") }
        if let constant = schema["const"] as? Int { #expect(value as? Int == constant, "\(path)") }
        let text = value as? String ?? ""
        if let words = schema["enum"] as? [String] { #expect(words.contains(text), "\(path): \(text)") }
        if let choices = schema["anyOf"] as? [Object] {
            #expect(choices.contains { allows(text, $0) }, "\(path): \(value)")
        }
        let types = schema["type"] as? [String] ?? [schema["type"] as? String].compactMap(\.self)
        if !types.isEmpty { #expect(types.contains { Self.isOf($0, value) }, "\(path): \(value) is not \(types)") }
        if let object = value as? Object {
            #expect(required.subtracting(object.keys).isEmpty, "\(path)")
            for (name, member) in object where !properties.isEmpty {
                guard let property = properties[name] as? Object else {
                    Issue.record("\(path).\(name) is not described")
                    continue
                }
                check(member, property, "\(path).\(name)")
            }
        }
        if let items = schema["items"] as? Object {
            for item in value as? [Any] ?? [] { check(item, items, "\(path)[]") }
        }
    }

    /// Returns the described members and the required ones, with those of the schemas that this one includes.
    private func members(of schema: Object, _ path: String) -> (properties: Object, required: Set<String>) {
        let schema = resolved(schema, path)
        var properties = schema["properties"] as? Object ?? [:]
        var required = Set(schema["required"] as? [String] ?? [])
        for part in schema["allOf"] as? [Object] ?? [] {
            let included = members(of: part, path)
            properties.merge(included.properties) { first, _ in first }
            required.formUnion(included.required)
        }
        return (properties, required)
    }

    /// Returns an object of the description, or the one that it refers to.
    private func resolved(_ object: Object, _ path: String) -> Object {
        guard let reference = object["$ref"] as? String else { return object }
        do { return try Self.resolve(reference, document) } catch {
            Issue.record("\(path): \(reference)")
            return [:]
        }
    }

    /// Whether a text is one of a schema's words, or matches its pattern.
    private func allows(_ text: String, _ choice: Object) -> Bool {
        let schema = resolved(choice, text)
        if let pattern = schema["pattern"] as? String {
            return text.range(of: pattern, options: .regularExpression) != nil
        }
        return (schema["enum"] as? [String] ?? []).contains(text)
    }

    private static func isOf(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "object": value is Object
        case "array": value is [Any]
        case "string": value is String
        case "boolean": value is Bool
        case "integer": value is Int
        case "number": value is Int || value is Double
        case "null": value is NSNull
        default: false
        }
    }
}
