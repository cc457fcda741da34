internal import Basics
package import Foundation
internal import HTTPTypes
package import Hummingbird
internal import NIOCore

/// The fields of a form or of a query.
package struct FormFields: Sendable {
    /// The values by name. For a repeated field, the last value.
    private var values: [String: String] = [:]
    private var files: [String: Data] = [:]
    /// The fields whose leading and trailing whitespace is significant.
    private var exactNames: Set<String> = []

    package init() {}

    /// The reason why a form is refused.
    package enum Problem: Error { case notAForm, tooLarge, malformed }

    /// Reads the body of a form sent as `application/x-www-form-urlencoded`.
    package init(_ request: Request, upTo limit: Int = 256 << 10) async throws {
        guard request.headers.mediaType == "application/x-www-form-urlencoded" else { throw Problem.notAForm }
        try self.init(encoded: try await Self.body(of: request, upTo: limit))
    }

    /// Returns the body of a request. Errors other than its size are rethrown, for example that all bodies together are
    /// too large.
    static func body(of request: Request, upTo limit: Int) async throws -> Data {
        let buffer: ByteBuffer
        do { buffer = try await request.body.collect(upTo: limit) } catch is NIOTooManyBytesError {
            throw Problem.tooLarge
        }
        return Data(buffer.readableBytesView)
    }

    /// Reads `name=value&name=value`, up to 500 fields in UTF-8.
    package init(encoded: some Collection<UInt8>) throws(Problem) {
        for (name, value) in try Self.pairs(encoded) { values[name] = value }
    }

    /// Returns the fields in their order, including repeated ones.
    package static func pairs(_ encoded: some Collection<UInt8>) throws(Problem) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for part in encoded.split(separator: UInt8(ascii: "&")) {
            guard pairs.count < 500 else { throw .malformed }
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = String(formEncoded: pair.first ?? part),
                let value = pair.count > 1 ? String(formEncoded: pair[1]) : ""
            else { throw .malformed }
            pairs.append((name, value))
        }
        return pairs
    }

    /// The value of a field, trimmed unless its whitespace is significant; nil if it is missing or empty.
    package subscript(_ name: String) -> String? {
        guard let value = values[name] else { return nil }
        if exactNames.contains(name) { return value.isEmpty ? nil : value }
        let trimmed = value.trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.isEmpty ? nil : trimmed
    }

    /// Marks the whitespace around a field as significant, because the value was not typed but comes from the page.
    package mutating func preserveWhitespace(of name: String) { exactNames.insert(name) }

    /// Returns the untrimmed value of a field.
    package func exact(_ name: String) -> String? { values[name] }

    /// Returns the file of a field; nil if none was chosen.
    package func file(_ name: String) -> Data? { files[name] }

    /// Sets the value of a field, as if it had been sent.
    package mutating func set(_ name: String, _ value: String) { values[name] = value }

    mutating func add(file: Data, _ name: String) { files[name] = file }

    /// Whether the field was sent, as for a checked check box.
    package func contains(_ name: String) -> Bool { values[name] != nil }

    /// The names of the fields.
    package var names: [String] { values.keys.sorted() }
}
