internal import AppStoreModels
internal import Basics
internal import Foundation

/// The JSON encoding of the control API. Instants are whole milliseconds since 1970; requests may also use ISO 8601.
enum ControlJSON {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder.sorted
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            // A damaged snapshot can contain dates out of range.
            let beyond = date.timeIntervalSince1970 < 0 ? Int64.min : .max
            try container.encode(date.millisecondsSince1970 ?? beyond)
        }
        return Array(try encoder.encode(value))
    }

    /// Decodes a body. Throws for unknown members, which are probably misspelled.
    static func decode<Value: Codable>(_ type: Value.Type, from body: Data) throws(ControlFailure) -> Value {
        let value = try read(type, from: body)
        let given = try read(JSONValue.self, from: body)
        // The encoded value contains every member that was decoded.
        guard let taken = try? JSONValue(encoding: value) else { return value }
        if let path = given.firstMember(notIn: taken, below: "") {
            throw ControlFailure(invalid: "unknown member \(path)", param: path)
        }
        return value
    }

    /// Decodes a value from JSON that was parsed already.
    static func decode<Value: Codable>(_ type: Value.Type, from json: JSONValue) throws -> Value {
        try decode(type, from: Data(encode(json)))
    }

    private static func read<Value: Decodable>(_ type: Value.Type, from body: Data) throws(ControlFailure) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let json = try container.decode(JSONValue.self)
            let milliseconds: Int64? =
                switch json {
                case .integer(let number): number
                case .string(let text): InstantText.milliseconds(iso8601: text)
                default: nil
                }
            guard let milliseconds, let date = Date(millisecondsSince1970: milliseconds) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "is neither milliseconds since 1970 nor like 2026-01-31T12:00:00Z")
            }
            return date
        }
        do { return try decoder.decode(type, from: body) } catch {
            throw failure(to: type, from: Array(body), error)
        }
    }

    /// Returns the response to a body that cannot be decoded.
    private static func failure<Value: Decodable>(
        to type: Value.Type, from body: [UInt8], _ error: any Error
    ) -> ControlFailure {
        guard var error = error as? DecodingError else { return ControlFailure(error) }
        if case .dataCorrupted(let context) = error, context.codingPath.isEmpty {
            // Foundation does not tell invalid JSON from a number that does not fit, nor does it say where that is.
            do { _ = try StrictJSONDecoder.decode(type, from: body) } catch let problem as JSONProblem {
                return ControlFailure(invalid: "the body is not JSON: \(problem.description)")
            } catch DecodingError.typeMismatch(let number, let place) where number is any BinaryInteger.Type {
                error = .dataCorrupted(
                    .init(codingPath: place.codingPath, debugDescription: "is not a whole number, or is out of range"))
            } catch {
                // The strict decoder says nothing more precise than Foundation's error, which is reported.
            }
        }
        // Only the message needs the values.
        return ControlFailure(error, in: try? StrictJSONDecoder.decode(JSONValue.self, from: body))
    }
}

extension JSONValue {
    /// Parses the text of any JSON value.
    init(json: some Sequence<UInt8>) throws { self = try JSONDecoder().decode(JSONValue.self, from: Data(json)) }

    /// Converts a value to JSON, with instants in milliseconds.
    init(encoding value: some Encodable) throws { try self.init(json: ControlJSON.encode(value)) }

    /// Returns the path of the first member that `other` lacks.
    fileprivate func firstMember(notIn other: JSONValue, below path: String) -> String? {
        switch (self, other) {
        case (.object(let own), .object(let others)):
            for (name, value) in own.sorted(by: { $0.key < $1.key }) {
                guard let counterpart = others[name] else {
                    // An explicit null means the same as a missing member.
                    if value == .null { continue }
                    return path + name
                }
                if let found = value.firstMember(notIn: counterpart, below: path + name + ".") { return found }
            }
            return nil
        case (.array(let own), .array(let others)):
            return zip(own, others).lazy.compactMap { $0.firstMember(notIn: $1, below: path) }.first
        default: return nil
        }
    }
}
