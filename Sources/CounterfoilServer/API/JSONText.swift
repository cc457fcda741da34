internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// JSON while it is written, straight into bytes: the answers are on the hot path, and a coder takes longer than all the
/// rest of a request.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    init() { bytes.reserveCapacity(1024) }

    mutating func object(_ members: (inout JSONText) throws -> Void) rethrows {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        try members(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    mutating func array<Item>(_ items: some Sequence<Item>, _ element: (inout JSONText, Item) throws -> Void) rethrows {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        for item in items { try element(&self, item) }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func key(text name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    mutating func member(_ name: StaticString, _ value: some BinaryInteger) {
        key(name)
        number(Int64(clamping: value))
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }

    /// An instant, in milliseconds.
    mutating func member(_ name: StaticString, _ value: Date) { member(name, value.milliseconds) }

    /// A member that is left out when there is no value.
    mutating func member(_ name: StaticString, _ value: String?) { if let value { member(name, value) } }
    mutating func member(_ name: StaticString, _ value: Date?) { if let value { member(name, value) } }
    mutating func member(_ name: StaticString, _ value: Int64?) { if let value { member(name, value) } }

    mutating func member(_ name: StaticString, _ members: (inout JSONText) throws -> Void) rethrows {
        key(name)
        try object(members)
    }

    mutating func member<Item>(
        _ name: StaticString, _ items: some Sequence<Item>, _ element: (inout JSONText, Item) throws -> Void
    ) rethrows {
        key(name)
        try array(items, element)
    }

    mutating func number(_ value: Int64) {
        separate()
        needsComma = true
        guard value != 0 else { return bytes.append(UInt8(ascii: "0")) }
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let start = bytes.count
        while rest > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        }
        bytes[start...].reverse()
    }

    mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
        needsComma = true
    }

    mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
        needsComma = true
    }

    /// JSON that is finished already.
    mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            if isPlain { bytes.append(contentsOf: utf8) } else { escape(utf8) }
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func escape(_ utf8: UnsafeBufferPointer<UInt8>) {
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// An answer with this body.
    func response(status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
