package import AppStoreModels
package import Foundation
internal import WebConsole

/// The decoded names and values of a request's query, in their original order.
///
/// Apple repeats a name for several values (`a=1&a=2`). Accessors take the error code of the parameter and throw it for
/// an invalid value. Unknown names are ignored.
package struct QueryParameters: Sendable {
    /// The maximum size of a query in bytes.
    package static let maximumSize = 16 * 1024

    package let pairs: [(name: String, value: String)]

    /// Parses the text after the question mark. Throws status 400 without an error code if it is too long, has more than
    /// 500 parameters, or is not percent-encoded UTF-8.
    package init(_ query: String) throws(APIFailure) {
        guard query.utf8.count <= Self.maximumSize else { throw APIFailure(status: 400, "the query is too long") }
        // Apple's Node client ends every URL with a question mark, so the query can be empty.
        do { pairs = try FormFields.pairs(query.utf8) } catch {
            throw APIFailure(status: 400, "the query has too many parameters, or is not percent-encoded UTF-8")
        }
    }
}

extension QueryParameters {
    /// Returns all values of a name that may be repeated. Empty values are invalid.
    package func strings(_ name: String, or code: APIErrorCode) throws(APIFailure) -> [String] {
        let values = pairs.filter { $0.name == name }.map(\.value)
        guard !values.contains("") else { throw APIFailure(code, "\(name) is empty.") }
        return values
    }

    /// Returns the value of a name that must not be repeated; nil if it is missing.
    package func string(_ name: String, or code: APIErrorCode) throws(APIFailure) -> String? {
        let values = try strings(name, or: code)
        guard values.count <= 1 else { throw APIFailure(code, "\(name) occurs more than once.") }
        return values.first
    }

    /// Returns a Boolean: `true` or `false`, or `True` or `False` as Apple's Python client writes them.
    package func bool(_ name: String, or code: APIErrorCode) throws(APIFailure) -> Bool? {
        switch try string(name, or: code) {
        case nil: return nil
        case "true", "True": return true
        case "false", "False": return false
        default: throw APIFailure(code, "\(name) is neither true nor false.")
        }
    }

    /// Returns a whole number within a range, of a name that must not be repeated.
    package func int(
        _ name: String, in range: ClosedRange<Int64> = Int64.min...Int64.max, or code: APIErrorCode
    ) throws(APIFailure) -> Int64? {
        guard try string(name, or: code) != nil else { return nil }
        return try ints(name, in: range, or: code).first
    }

    /// Returns whole numbers within a range.
    package func ints(
        _ name: String, in range: ClosedRange<Int64>, or code: APIErrorCode
    ) throws(APIFailure) -> [Int64] {
        try strings(name, or: code).map { (text) throws(APIFailure) in
            guard let number = Self.number(text), range.contains(number) else {
                throw APIFailure(code, "\(name) is not a whole number in the range that is allowed.")
            }
            return number
        }
    }

    /// Returns an instant, given as a whole number of milliseconds since 1970.
    package func date(_ name: String, or code: APIErrorCode) throws(APIFailure) -> Date? {
        guard let number = try int(name, or: code) else { return nil }
        guard let date = Date(millisecondsSince1970: number) else {
            throw APIFailure(code, "\(name) is not an instant in milliseconds.")
        }
        return date
    }

    /// Returns a value of an enumeration, of a name that must not be repeated.
    package func value<Value: RawRepresentable & Equatable>(
        _ name: String, of known: [Value], or code: APIErrorCode
    ) throws(APIFailure) -> Value? where Value.RawValue == String {
        guard try string(name, or: code) != nil else { return nil }
        return try values(name, of: known, or: code).first
    }

    /// Returns values of an enumeration.
    package func values<Value: RawRepresentable & Equatable>(
        _ name: String, of known: [Value], or code: APIErrorCode
    ) throws(APIFailure) -> [Value] where Value.RawValue == String {
        try strings(name, or: code).map { (text) throws(APIFailure) in
            guard let value = Value(rawValue: text), known.contains(value) else {
                throw APIFailure(code, "\(name) has an unknown value.")
            }
            return value
        }
    }

    // `Int64.init` would accept a plus sign.
    private static func number(_ text: String) -> Int64? { text.hasPrefix("+") ? nil : Int64(text) }
}
