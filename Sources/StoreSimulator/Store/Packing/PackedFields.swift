internal import AppStoreModels
package import Foundation

/// The fields of a value that differ from a template, as bytes: for each, its number, whether it is absent, and its
/// value.
package struct PackedFields {
    package private(set) var bytes: [UInt8]
    private var position = 0
    /// The number of the next field.
    private var number: UInt8 = 0
    private let isWriting: Bool

    /// Creates fields for writing.
    package init() { (bytes, isWriting) = ([], true) }

    /// Creates fields for reading.
    package init(_ bytes: [UInt8]) { (self.bytes, isWriting) = (bytes, false) }

    /// Writes a field if it differs from the template's, or reads it if it is present.
    package mutating func field<Value: PackableValue>(_ value: inout Value, _ template: Value) {
        if isWriting {
            if !value.isSame(as: template) { write(value) }
        } else if consumeField(isAbsent: false), let read = Value(packed: bytes, at: &position) {
            value = read
        }
        number += 2
    }

    package mutating func field<Value: PackableValue>(_ value: inout Value?, _ template: Value?) {
        if isWriting {
            switch (value, template) {
            case (nil, nil): break
            case (nil, _?): bytes.append(number | 1)
            case (let value?, let template): if template.map({ !value.isSame(as: $0) }) ?? true { write(value) }
            }
        } else if consumeField(isAbsent: true) {
            value = nil
        } else if consumeField(isAbsent: false), let read = Value(packed: bytes, at: &position) {
            value = read
        }
        number += 2
    }

    package mutating func field<Value: RawRepresentable>(_ value: inout Value, _ template: Value)
    where Value.RawValue: PackableValue {
        var raw = value.rawValue
        field(&raw, template.rawValue)
        if !isWriting, let read = Value(rawValue: raw) { value = read }
    }

    package mutating func field<Value: RawRepresentable>(_ value: inout Value?, _ template: Value?)
    where Value.RawValue: PackableValue {
        var raw = value?.rawValue
        field(&raw, template?.rawValue)
        if !isWriting { value = raw.flatMap { Value(rawValue: $0) } }
    }

    private mutating func write(_ value: some PackableValue) {
        bytes.append(number)
        value.pack(into: &bytes)
    }

    private mutating func consumeField(isAbsent: Bool) -> Bool {
        guard position < bytes.count, bytes[position] == (isAbsent ? number | 1 : number) else { return false }
        position += 1
        return true
    }
}

/// A value that can be packed into bytes.
package protocol PackableValue: Equatable {
    /// Whether both values have the same packed bytes.
    func isSame(as other: Self) -> Bool
    /// Appends the packed bytes. A value that does not fit is read as another one.
    func pack(into bytes: inout [UInt8])
    /// Reads a value that ``pack(into:)`` appended.
    init?(packed bytes: [UInt8], at position: inout Int)
}

extension PackableValue {
    package func isSame(as other: Self) -> Bool { self == other }
}

extension String: PackableValue {
    /// Equal strings may have different bytes: "é" is one scalar or two.
    package func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    package func pack(into bytes: inout [UInt8]) {
        // Nearly all texts have at most 255 bytes. Of a longer one, reading returns only a part.
        bytes.append(UInt8(truncatingIfNeeded: utf8.count))
        bytes.append(contentsOf: utf8)
    }

    package init?(packed bytes: [UInt8], at position: inout Int) {
        guard position < bytes.count, case let start = position + 1, case let end = start + Int(bytes[position]),
            end <= bytes.count
        else { return nil }
        self.init(decoding: bytes[start..<end], as: UTF8.self)
        position = end
    }
}

extension Bool: PackableValue {
    package func pack(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }

    package init?(packed bytes: [UInt8], at position: inout Int) {
        guard position < bytes.count else { return nil }
        self = bytes[position] == 1
        position += 1
    }
}

/// Packs integers with seven bits per byte, the lowest first, after zigzag encoding: the sign is the lowest bit.
extension PackableValue where Self: FixedWidthInteger & SignedInteger {
    package func pack(into bytes: inout [UInt8]) {
        let wide = Int64(self)
        var rest = UInt64(bitPattern: (wide << 1) ^ (wide >> 63))
        while rest > 127 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    package init?(packed bytes: [UInt8], at position: inout Int) {
        var (word, shift) = (UInt64(0), 0)
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            word |= UInt64(byte & 127) << shift
            shift += 7
            if byte < 128 { break }
        }
        self.init(exactly: Int64(bitPattern: word >> 1) ^ -Int64(bitPattern: word & 1))
    }
}

extension Int32: PackableValue {}
extension Int64: PackableValue {}

extension Date: PackableValue {
    package func pack(into bytes: inout [UInt8]) {
        // Nearly all dates are whole milliseconds.
        (millisecondsSince1970 ?? 0).pack(into: &bytes)
    }

    package init?(packed bytes: [UInt8], at position: inout Int) {
        guard let milliseconds = Int64(packed: bytes, at: &position) else { return nil }
        self.init(millisecondsSince1970: milliseconds)
    }
}

extension UUID: PackableValue {
    package func pack(into bytes: inout [UInt8]) {
        withUnsafeBytes(of: uuid) { bytes.append(contentsOf: $0) }
    }

    package init?(packed bytes: [UInt8], at position: inout Int) {
        guard position + 16 <= bytes.count else { return nil }
        let start = position
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: uuid_t.self) })
        position += 16
    }
}
