package import AppStoreModels
package import Foundation

// Methods named `…IfPresent` return nil for a field that is absent or null. For the others the field is required;
// `missing` is the code for its absence, by default the same as for an invalid value.

extension RequestBody {
    package func stringIfPresent(_ name: String, or code: APIErrorCode?) throws(APIFailure) -> String? {
        switch value(name) {
        case nil: return nil
        case .string(let text)?: return text
        case let other?: throw failure(code, name, "is \(other.kind), not a string")
        }
    }

    package func string(
        _ name: String, missing: APIErrorCode? = nil, or code: APIErrorCode?
    ) throws(APIFailure) -> String {
        try required(stringIfPresent(name, or: code), name, missing ?? code)
    }

    /// Returns a text of at most `limit` Unicode scalars. A limit of grapheme clusters (`Character`) would allow texts
    /// of any size.
    package func string(
        _ name: String, upTo limit: Int, tooLong: APIErrorCode?, or code: APIErrorCode?
    ) throws(APIFailure) -> String {
        let text = try string(name, or: code)
        guard text.unicodeScalars.count <= limit else {
            throw failure(tooLong, name, "has more than \(limit) characters")
        }
        return text
    }

    package func boolIfPresent(_ name: String, or code: APIErrorCode?) throws(APIFailure) -> Bool? {
        switch value(name) {
        case nil: return nil
        case .bool(let flag)?: return flag
        case let other?: throw failure(code, name, "is \(other.kind), not true or false")
        }
    }

    package func bool(_ name: String, missing: APIErrorCode? = nil, or code: APIErrorCode?) throws(APIFailure) -> Bool {
        try required(boolIfPresent(name, or: code), name, missing ?? code)
    }

    /// Returns a whole number, written without fraction and exponent.
    package func intIfPresent(
        _ name: String, in range: ClosedRange<Int64> = Int64.min...Int64.max, or code: APIErrorCode?
    ) throws(APIFailure) -> Int64? {
        switch value(name) {
        case nil: return nil
        case .integer(let number)?:
            guard range.contains(number) else {
                throw failure(code, name, "is not within \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        case let other?: throw failure(code, name, "is \(other.kind), not a whole number")
        }
    }

    package func int(
        _ name: String, in range: ClosedRange<Int64> = Int64.min...Int64.max, missing: APIErrorCode? = nil,
        or code: APIErrorCode?
    ) throws(APIFailure) -> Int64 {
        try required(intIfPresent(name, in: range, or: code), name, missing ?? code)
    }

    /// Returns an instant, given as a whole number of milliseconds since 1970.
    package func date(_ name: String, or code: APIErrorCode?) throws(APIFailure) -> Date {
        guard let date = Date(millisecondsSince1970: try int(name, or: code)) else {
            throw failure(code, name, "is not an instant in milliseconds")
        }
        return date
    }

    /// Returns a UUID in the form `8-4-4-4-12`, in upper or lower case. If `emptyIsNone`, an empty string counts as
    /// absent.
    package func uuidIfPresent(
        _ name: String, emptyIsNone: Bool = false, or code: APIErrorCode?
    ) throws(APIFailure) -> UUID? {
        guard let text = try stringIfPresent(name, or: code) else { return nil }
        if emptyIsNone, text.isEmpty { return nil }
        guard let uuid = UUID(text: text) else { throw failure(code, name, "is not a UUID") }
        return uuid
    }

    package func uuid(_ name: String, missing: APIErrorCode? = nil, or code: APIErrorCode?) throws(APIFailure) -> UUID {
        try required(uuidIfPresent(name, or: code), name, missing ?? code)
    }

    /// Returns a value of a string enumeration.
    package func valueIfPresent<Value: RawRepresentable & Equatable>(
        _ name: String, of known: [Value], or code: APIErrorCode?
    ) throws(APIFailure) -> Value? where Value.RawValue == String {
        guard let text = try stringIfPresent(name, or: code) else { return nil }
        guard let value = Value(rawValue: text), known.contains(value) else {
            throw failure(code, name, "has an unknown value")
        }
        return value
    }

    package func value<Value: RawRepresentable & Equatable>(
        _ name: String, of known: [Value], missing: APIErrorCode? = nil, or code: APIErrorCode?
    ) throws(APIFailure) -> Value where Value.RawValue == String {
        try required(valueIfPresent(name, of: known, or: code), name, missing ?? code)
    }

    func required<Value>(_ value: Value?, _ name: String, _ code: APIErrorCode?) throws(APIFailure) -> Value {
        guard let value else { throw failure(code, name, "is missing") }
        return value
    }
}

// Objects and lists.
extension RequestBody {
    package func objectIfPresent(_ name: String, or code: APIErrorCode?) throws(APIFailure) -> RequestBody? {
        switch value(name) {
        case nil: return nil
        case .object(let fields)?: return RequestBody(path: "\(path)\(name).", fields: fields)
        case let other?: throw failure(code, name, "is \(other.kind), not an object")
        }
    }

    package func object(
        _ name: String, missing: APIErrorCode? = nil, or code: APIErrorCode?
    ) throws(APIFailure) -> RequestBody {
        try required(objectIfPresent(name, or: code), name, missing ?? code)
    }

    /// Returns a list of objects, which may be empty. `nullElement` is the code for a null element.
    package func objectsIfPresent(
        _ name: String, nullElement: APIErrorCode? = nil, or code: APIErrorCode?
    ) throws(APIFailure) -> [RequestBody]? {
        try elements(name, or: code)?.enumerated().map { (index, element) throws(APIFailure) in
            guard case .object(let fields) = element else {
                throw failure(
                    element == .null ? nullElement ?? code : code, "\(name)[\(index)]",
                    "is \(element.kind), not an object")
            }
            return RequestBody(path: "\(path)\(name)[\(index)].", fields: fields)
        }
    }

    package func objects(
        _ name: String, missing: APIErrorCode? = nil, nullElement: APIErrorCode? = nil, or code: APIErrorCode?
    ) throws(APIFailure) -> [RequestBody] {
        try required(objectsIfPresent(name, nullElement: nullElement, or: code), name, missing ?? code)
    }

    /// Returns a list of strings, which may be empty.
    package func stringsIfPresent(_ name: String, or code: APIErrorCode?) throws(APIFailure) -> [String]? {
        try elements(name, or: code)?.enumerated().map { (index, element) throws(APIFailure) in
            guard case .string(let text) = element else {
                throw failure(code, "\(name)[\(index)]", "is \(element.kind), not a string")
            }
            return text
        }
    }

    private func elements(_ name: String, or code: APIErrorCode?) throws(APIFailure) -> [JSONValue]? {
        switch value(name) {
        case nil: return nil
        case .array(let elements)?: return elements
        case let other?: throw failure(code, name, "is \(other.kind), not an array")
        }
    }
}
