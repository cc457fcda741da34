import Basics
import Foundation
import StoreSimulator

/// The decoded parts of a compact JWS, whose signature is not verified.
struct Payload: Sendable {
    let header: [String: JSONValue]
    let body: [String: JSONValue]
    /// The bytes of the payload, as signed.
    let bytes: Data

    struct Malformed: Error {}

    init(_ text: String) throws {
        let parts = try text.split(separator: ".").map { part in
            guard let bytes = Base64.decodeURL(part) else { throw Malformed() }
            return Data(bytes)
        }
        guard parts.count == 3 else { throw Malformed() }
        header = try JSONDecoder().decode([String: JSONValue].self, from: parts[0])
        body = try JSONDecoder().decode([String: JSONValue].self, from: parts[1])
        bytes = parts[1]
    }

    /// Returns every member at every level, with the type of its value.
    static func shape(_ object: [String: JSONValue], below path: String = "") -> Set<String> {
        object.reduce(into: []) { shape, member in
            let name = path + member.key
            shape.insert("\(name): \(member.value.kind)")
            switch member.value {
            case .object(let inner): shape.formUnion(Self.shape(inner, below: name + "."))
            case .array(let elements): shape.formUnion(elements.map { "\(name)[]: \($0.kind)" })
            default: break
            }
        }
    }

    /// Returns every member at every level whose name is not among `names`, with its value.
    static func values(_ object: [String: JSONValue], without names: Set<String>, below path: String = "") -> [String:
        String]
    {
        object.reduce(into: [:]) { values, member in
            guard !names.contains(member.key) else { return }
            if case .object(let inner) = member.value {
                values.merge(Self.values(inner, without: names, below: path + member.key + ".")) { $1 }
            } else {
                values[path + member.key] = "\(member.value)"
            }
        }
    }
}

extension JSONValue {
    /// The member of an object with a name.
    subscript(name: String) -> JSONValue? { if case .object(let members) = self { members[name] } else { nil } }

    var text: String? { if case .string(let text) = self { text } else { nil } }

    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .integer: "integer"
        case .number: "number"
        case .string: "string"
        case .array(let elements): "array of \(elements.count)"
        case .object: "object"
        }
    }
}
