internal import AppStoreServer
internal import AppStoreModels
internal import Basics

/// The JSON object in the body of a request, or an object in there, with the means to say which field is wrong.
///
/// A field that is null counts as absent: Apple's clients write either. Accessors take the code that Apple documents for
/// the field and throw it when the value does not fit, also when it is of another type. Apple documents that "malformed
/// JSON or types" give status 400 without a code; we keep that for fields without a code of their own, as the code tells
/// the developer more.
package struct RequestBody: Sendable, Hashable {
    /// The most bytes of a body.
    package static let maximumSize = 256 * 1024

    /// Where the object lies in the body, such as `items[0].`; empty for the body itself.
    let path: String
    let fields: [String: JSONValue]

    /// Reads a body. Status 400 without a code for what is not one JSON object: UTF-8, no name twice, little nesting.
    package init(_ bytes: [UInt8]) throws(APIFailure) {
        guard bytes.count <= Self.maximumSize else { throw APIFailure(status: 400, "the body is too large") }
        // The answer has no code that could say why.
        guard case .object(let fields) = try? StrictJSONDecoder.decode(JSONValue.self, from: bytes) else {
            throw APIFailure(status: 400, "the body is not a JSON object")
        }
        self.init(path: "", fields: fields)
    }

    init(path: String, fields: [String: JSONValue]) {
        self.path = path
        self.fields = fields
    }

    /// Reads the whole body as a model, once its fields are checked. What is still wrong has status 400 without a code.
    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(APIFailure) -> Value {
        guard bytes.count <= maximumSize else { throw APIFailure(status: 400, "the body is too large") }
        do { return try StrictJSONDecoder.decode(type, from: bytes) } catch let error as DecodingError {
            throw APIFailure(status: 400, "the body does not have the form of the request: \(error.path)")
        } catch { throw APIFailure(status: 400, "the body is not JSON") }
    }

    /// Whether the field is there and not null.
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
    /// What kind of value it is, for a sentence.
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

extension DecodingError {
    /// The names on the way to the value in question.
    fileprivate var path: String {
        let path: [any CodingKey] =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: []
            }
        return path.map(\.stringValue).joined(separator: ".")
    }
}
