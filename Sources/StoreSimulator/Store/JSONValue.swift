internal import Basics

/// Any JSON value.
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number. A fraction of zeros counts as none.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object with its members by name.
    case object([String: JSONValue])
}

extension JSONValue: Codable {
    /// The maximum number of members of an object. Looking up each member takes quadratic time in total.
    private static let maximumMembers = 512

    /// Decodes any JSON value. Throws if an object has more than 512 members.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A failed attempt means that the value is of another type.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let members = try? decoder.container(keyedBy: JSONName.self) {
            let names = members.allKeys
            guard names.count <= Self.maximumMembers else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "too many members"))
            }
            var object: [String: JSONValue] = [:]
            for name in names { object[name.stringValue] = try members.decode(JSONValue.self, forKey: name) }
            self = .object(object)
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([JSONValue].self))
        } else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "is neither a text in Unicode nor a number in range")
        }
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
