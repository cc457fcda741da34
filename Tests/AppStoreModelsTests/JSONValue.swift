import Foundation
import Testing

/// Any JSON value, to compare decoded with encoded JSON. Integers are compared as integers.
enum JSONValue: Hashable, Decodable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    init(_ data: Data) throws { self = try JSONDecoder().decode(Self.self, from: data) }
    init(_ text: String) throws { try self.init(Data(text.utf8)) }

    /// Returns the object without these keys.
    func removing(_ keys: some Sequence<String>) -> Self {
        guard case .object(var members) = self else { return self }
        for key in keys { members[key] = nil }
        return .object(members)
    }

    var keys: [String] {
        guard case .object(let members) = self else { return [] }
        return members.keys.sorted()
    }
}

func decode<T: Decodable>(_ type: T.Type, _ json: String) throws -> T {
    try JSONDecoder().decode(type, from: Data(json.utf8))
}

func decode<T: Decodable>(_ json: String) throws -> T { try decode(T.self, json) }

func encode(_ value: some Encodable) throws -> JSONValue { try JSONValue(JSONEncoder().encode(value)) }

/// A model and a JSON object with all optional keys, which the model must decode and encode unchanged.
struct Example: CustomTestStringConvertible {
    let testDescription: String
    let json: String
    let reencode: @Sendable (Data) throws -> JSONValue

    init<T: Codable & Hashable & Sendable>(_ type: T.Type, _ json: String) {
        testDescription = "\(type)"
        self.json = json
        reencode = { data in
            let value = try JSONDecoder().decode(T.self, from: data)
            let encoded = try JSONEncoder().encode(value)
            #expect(try JSONDecoder().decode(T.self, from: encoded) == value)
            return try JSONValue(encoded)
        }
    }
}
