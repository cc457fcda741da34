internal import AppStoreModels
internal import Basics

/// The JSON object in the body of a request, or a nested object. Its errors contain the path of the invalid field.
///
/// A null field counts as absent, because some of Apple's clients write null. Accessors take the code that Apple
/// documents for the field, and throw it for invalid values and for values of another type. Apple documents status 400
/// without a code for "malformed JSON or types"; here, only fields without a documented code get that status, because
/// codes are more informative.
package struct RequestBody: Sendable, Hashable {
    /// The maximum size of a body in bytes.
    package static let maximumSize = 256 * 1024

    /// The path of the object in the body, such as `items[0].`; empty for the body itself.
    let path: String
    let fields: [String: JSONValue]
}

extension RequestBody {
    /// Parses a body. Throws status 400 without a code unless it is a JSON object in UTF-8, without duplicate names and
    /// without deep nesting.
    package init(_ bytes: [UInt8]) throws(APIFailure) {
        guard bytes.count <= Self.maximumSize else { throw APIFailure(status: 400, "the body is too large") }
        // The response has no code, so the reason of the error is not needed.
        guard case .object(let fields) = try? StrictJSONDecoder.decode(JSONValue.self, from: bytes) else {
            throw APIFailure(status: 400, "the body is not a JSON object")
        }
        self.init(path: "", fields: fields)
    }

    /// Decodes the whole body as a model, after its fields are checked. Throws status 400 without a code for remaining
    /// errors.
    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(APIFailure) -> Value {
        guard bytes.count <= maximumSize else { throw APIFailure(status: 400, "the body is too large") }
        do { return try StrictJSONDecoder.decode(type, from: bytes) } catch let error as DecodingError {
            let path = error.path.map(\.stringValue).joined(separator: ".")
            throw APIFailure(status: 400, "the body does not match the request: \(path)")
        } catch { throw APIFailure(status: 400, "the body is not JSON") }
    }

    /// Whether the field is present and not null.
    package func has(_ name: String) -> Bool { value(name) != nil }

    func value(_ name: String) -> JSONValue? {
        guard let value = fields[name], value != .null else { return nil }
        return value
    }

    func failure(_ code: APIErrorCode?, _ name: String, _ problem: String) -> APIFailure {
        let message = "\(path)\(name) \(problem)."
        return code.map { APIFailure($0, message) } ?? APIFailure(status: 400, message)
    }
}

extension JSONValue {
    /// The type of the value, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer: "a whole number"
        case .number: "a number with a fraction or too large"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
