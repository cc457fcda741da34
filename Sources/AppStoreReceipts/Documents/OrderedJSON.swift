internal import Basics

/// JSON with ordered members, because people compare these documents with Apple's line by line.
package indirect enum OrderedJSON: Sendable, Hashable {
    case object([Member])
    case array([OrderedJSON])
    case string(String)
    case number(Int64)
    case bool(Bool)
    case null

    package struct Member: Sendable, Hashable {
        package let name: String
        package let value: OrderedJSON

        package init(_ name: String, _ value: OrderedJSON) {
            self.name = name
            self.value = value
        }
    }

    /// The value as one line of JSON.
    package var text: String {
        var json = JSONWriter()
        write(to: &json)
        return String(decoding: json.written, as: UTF8.self)
    }

    private func write(to json: inout JSONWriter) {
        switch self {
        case .object(let members):
            json.object { json in
                for member in members {
                    json.key(text: member.name)
                    member.value.write(to: &json)
                }
            }
        case .array(let values): json.array(values) { $1.write(to: &$0) }
        case .string(let value): json.string(value)
        case .number(let value): json.number(value)
        case .bool(let value): json.bool(value)
        case .null: json.null()
        }
    }
}

extension OrderedJSON: Encodable {
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: JSONName.self)
            for member in members { try container.encode(member.value, forKey: JSONName(stringValue: member.name)) }
        case .array(let values): try values.encode(to: encoder)
        case .string(let value): try value.encode(to: encoder)
        case .number(let value): try value.encode(to: encoder)
        case .bool(let value): try value.encode(to: encoder)
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }
}

extension OrderedJSON {
    init(_ value: String?) { self = value.map(Self.string) ?? .null }
    init(_ value: Int64?) { self = value.map(Self.number) ?? .null }
    init(_ value: Bool?) { self = value.map(Self.bool) ?? .null }
}
