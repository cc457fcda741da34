internal import ConfigurationReading
internal import Foundation

extension ConfigurationValue {
    private static let maximumBytes = 4 << 20
    private static let maximumDepth = 24
    private static let maximumSeparators = 500_000

    /// Parses JSON.
    init(json: Data) throws(CatalogueError) {
        guard json.count <= Self.maximumBytes else {
            throw CatalogueError("larger than 4 MiB")
        }
        try Self.checkSize(of: json)
        do {
            self = try JSONDecoder().decode(JSONTree.self, from: json).value
        } catch {
            throw CatalogueError("not JSON")
        }
    }

    /// Checks the depth and the number of values before decoding, because Foundation's decoder is recursive.
    private static func checkSize(of json: Data) throws(CatalogueError) {
        var (depth, separators, isInString, isEscaped) = (0, 0, false, false)
        for byte in json {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","): separators += 1
            default: break
            }
            guard depth <= maximumDepth else {
                throw CatalogueError("nested deeper than \(maximumDepth) levels")
            }
            guard separators <= maximumSeparators else {
                throw CatalogueError("more than \(maximumSeparators) values")
            }
        }
    }
}

/// A JSON value of any type.
private struct JSONTree: Decodable {
    let value: ConfigurationValue

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A failed attempt means that the value has another type. The most frequent types are tried first.
        if let text = try? container.decode(String.self) {
            value = .init(.text(text))
        } else if container.decodeNil() {
            value = .init(.nothing)
        } else if let members = try? container.decode([String: JSONTree].self) {
            value = .init(.mapping(members.mapValues(\.value)))
        } else if let items = try? container.decode([JSONTree].self) {
            value = .init(.list(items.map(\.value)))
        } else if let flag = try? container.decode(Bool.self) {
            value = .init(.text(flag ? "true" : "false"))
        } else if let number = try? container.decode(Int64.self) {
            value = .init(.text(String(number)))
        } else if let number = try? container.decode(Decimal.self), number.isFinite {
            value = .init(.text(number.description))
        } else {
            value = .init(.text("number out of range"))
        }
    }
}
