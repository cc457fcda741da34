internal import AppStoreModels
package import AppStoreServer
package import Basics
internal import Foundation

// Encodes payloads to the same bytes as `CompactJWS.json`, several times faster: members sorted by name, no white
// space, no escaped slashes, dates as whole milliseconds. `writeMembers(to:)` has to write the members in sorted order;
// no sorting happens here, which makes it fast. Tests check the order.

/// A payload that can be signed.
package protocol JSONWritable: Encodable, Sendable {
    /// Returns the JSON, the same bytes as `CompactJWS.json`.
    func jsonBytes() throws(SigningError) -> [UInt8]
}

extension JSONWritable {
    /// Uses Foundation's encoder, for types that are rare.
    package func jsonBytes() throws(SigningError) -> [UInt8] { Array(try CompactJWS.json(self)) }
}

/// A payload that writes its own JSON members.
package protocol JSONMembersWritable: JSONWritable {
    /// Writes the members, in the order of their names.
    func writeMembers(to json: inout JSONWriter) throws(SigningError)
}

extension JSONMembersWritable {
    fileprivate func write(to json: inout JSONWriter) throws(SigningError) {
        try json.object { (json: inout JSONWriter) throws(SigningError) in try writeMembers(to: &json) }
    }

    package func jsonBytes() throws(SigningError) -> [UInt8] {
        var json = JSONWriter()
        try write(to: &json)
        return json.bytes
    }
}

// Members. Values of nil are omitted.
extension JSONWriter {
    mutating func member<Value: RawRepresentable>(_ name: StaticString, _ value: Value?)
    where Value.RawValue == String {
        member(name, value?.rawValue)
    }

    mutating func member<Value: RawRepresentable>(_ name: StaticString, _ value: Value?) where Value.RawValue == Int32 {
        member(name, value?.rawValue)
    }

    mutating func member(_ name: StaticString, _ number: (some FixedWidthInteger & SignedInteger)?) {
        if let number { member(name, number) }
    }

    mutating func member(_ name: StaticString, _ date: Date?) throws(SigningError) {
        guard let date else { return }
        guard let milliseconds = date.millisecondsSince1970 else {
            throw SigningError(.unencodable, "a date that is not an instant in milliseconds cannot be written as JSON")
        }
        member(name, milliseconds)
    }

    mutating func member(_ name: StaticString, _ texts: [String]?) {
        if let texts { member(name, texts) { $0.string($1) } }
    }

    mutating func member(_ name: StaticString, object value: (some JSONMembersWritable)?) throws(SigningError) {
        guard let value else { return }
        key(name)
        try value.write(to: &self)
    }

    /// Writes a member with Foundation's encoder, for types that are rare.
    mutating func member(_ name: StaticString, encoding value: (some Encodable)?) throws(SigningError) {
        guard let value else { return }
        let json = try CompactJWS.json(value)
        key(name)
        raw(json)
    }
}
