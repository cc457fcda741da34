/// JSON whose members keep their order: people compare these documents with Apple's, line by line.
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
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.write(member.name, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .string(let value): Self.write(value, to: &text)
        case .number(let value): text += String(value)
        case .bool(let value): text += value ? "true" : "false"
        case .null: text += "null"
        }
    }

    // RFC 8259 §7: quotation mark, reverse solidus and the control characters must be escaped.
    private static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension OrderedJSON: Encodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for member in members { try container.encode(member.value, forKey: Name(stringValue: member.name)) }
        case .array(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .string(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .bool(let value): try container.encode(value)
            default: try container.encodeNil()
            }
        }
    }
}

extension OrderedJSON {
    init(_ value: String?) { self = value.map(Self.string) ?? .null }
    init(_ value: Int64?) { self = value.map(Self.number) ?? .null }
    init(_ value: Bool?) { self = value.map(Self.bool) ?? .null }
}
