internal import AppStoreModels
package import AppStoreServer
package import Basics
internal import Foundation

// Payloads are written as `CompactJWS.json` writes them, byte for byte, several times faster: members in the order of their
// names, no white space, no escaped slash, dates as whole milliseconds. The order is the caller's: it writes the members
// sorted. That is what makes it fast, and what the tests hold it to.

/// An object that can be written quickly.
package protocol JSONWritable: Sendable {
    /// Writes the members, in the order of their names.
    func writeMembers(to json: inout JSONWriter) throws(SigningError)
}

extension JSONWritable {
    fileprivate func write(to json: inout JSONWriter) throws(SigningError) {
        try json.object { (json: inout JSONWriter) throws(SigningError) in try writeMembers(to: &json) }
    }

    /// The same bytes as those of `CompactJWS.json`.
    package func jsonBytes() throws(SigningError) -> [UInt8] {
        var json = JSONWriter()
        try write(to: &json)
        return json.bytes
    }
}

// Members; what is nil is left out.
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

    mutating func member(_ name: StaticString, _ flag: Bool?) {
        if let flag { member(name, flag) }
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

    mutating func member(_ name: StaticString, object value: (some JSONWritable)?) throws(SigningError) {
        guard let value else { return }
        key(name)
        try value.write(to: &self)
    }

    /// A member that is rare enough to go through Foundation.
    mutating func member(_ name: StaticString, encoding value: (some Encodable)?) throws(SigningError) {
        guard let value else { return }
        let json = try CompactJWS.json(value)
        key(name)
        raw(json)
    }
}
