import Basics
import Foundation

/// Encodes JSON for the output: keys in snake case and sorted, slashes not escaped.
enum JSONText {
    static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder.sorted
        encoder.keyEncodingStrategy = .convertToSnakeCase
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            // Reports contain only strings and numbers, so encoding fails only for a number that JSON cannot express.
            return "null"
        }
    }
}

/// Encodes JSON on one line, with sorted keys and dates in milliseconds.
enum JSONLine {
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder.sorted
        encoder.dateEncodingStrategy = .millisecondsSince1970
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
