internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// JSON while it is written, straight into bytes: the answers are on the hot path, and a coder takes longer than all the
/// rest of a request.
struct JSONText {
    /// What was written, and room for more.
    private var room = [UInt8](repeating: 0, count: 2048)
    private var count = 0
    private var needsComma = false

    /// What was written.
    var bytes: [UInt8] { Array(room[..<count]) }

    mutating func object(_ members: (inout JSONText) throws -> Void) rethrows {
        separate()
        append(UInt8(ascii: "{"))
        needsComma = false
        try members(&self)
        append(UInt8(ascii: "}"))
        needsComma = true
    }

    mutating func array<Item>(_ items: some Sequence<Item>, _ element: (inout JSONText, Item) throws -> Void) rethrows {
        separate()
        append(UInt8(ascii: "["))
        needsComma = false
        for item in items { try element(&self, item) }
        append(UInt8(ascii: "]"))
        needsComma = true
    }

    mutating func key(_ name: StaticString) {
        let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        let comma = needsComma ? 1 : 0
        // The comma, the name between its quotation marks and the colon, in one piece: most of an answer is names.
        write(comma + name.count + 3) { room in
            room[0] = UInt8(ascii: ",")
            room[comma] = UInt8(ascii: "\"")
            UnsafeMutableRawBufferPointer(rebasing: room[(comma + 1)...]).copyMemory(from: name)
            room[comma + name.count + 1] = UInt8(ascii: "\"")
            room[comma + name.count + 2] = UInt8(ascii: ":")
        }
        needsComma = false
    }

    mutating func key(text name: String) {
        string(name)
        append(UInt8(ascii: ":"))
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
        if value < 0 { append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        var count = 1
        while rest > 9 { (rest, count) = (rest / 10, count + 1) }
        rest = value.magnitude
        write(count) { room in
            for place in (0..<count).reversed() {
                room[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
    }

    mutating func bool(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
        needsComma = true
    }

    mutating func null() {
        separate()
        append("null")
        needsComma = true
    }

    /// JSON that is finished already.
    mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        Array(json).withUnsafeBytes { json in write(json.count) { $0.copyMemory(from: json) } }
        needsComma = true
    }

    mutating func string(_ text: String) {
        let comma = needsComma ? 1 : 0
        var text = text
        text.withUTF8 { utf8 in
            guard Self.isPlain(utf8) else {
                separate()
                return escape(utf8)
            }
            write(comma + utf8.count + 2) { room in
                room[0] = UInt8(ascii: ",")
                room[comma] = UInt8(ascii: "\"")
                UnsafeMutableRawBufferPointer(rebasing: room[(comma + 1)...])
                    .copyMemory(from: UnsafeRawBufferPointer(utf8))
                room[comma + utf8.count + 1] = UInt8(ascii: "\"")
            }
        }
        needsComma = true
    }

    /// Whether a text can stand as it is. All of it is looked at, without a branch: so several bytes are at once.
    private static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var special: UInt8 = 0
        for byte in utf8 {
            special |= byte < 0x20 ? 1 : 0
            special |= byte == UInt8(ascii: "\"") ? 1 : 0
            special |= byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return special == 0
    }

    private mutating func escape(_ utf8: UnsafeBufferPointer<UInt8>) {
        append(UInt8(ascii: "\""))
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"))
                append(byte)
            case 0..<0x20:
                append("\\u00")
                append(Self.digits[Int(byte >> 4)])
                append(Self.digits[Int(byte & 15)])
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func separate() {
        if needsComma { append(UInt8(ascii: ",")) }
    }

    private mutating func append(_ byte: UInt8) { write(1) { $0[0] = byte } }

    private mutating func append(_ text: StaticString) {
        let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        write(text.count) { $0.copyMemory(from: text) }
    }

    /// Writes so many bytes, all of which the closure sets.
    private mutating func write(_ more: Int, _ set: (UnsafeMutableRawBufferPointer) -> Void) {
        let end = count + more
        if end > room.count { room += repeatElement(0, count: max(room.count, more)) }
        room.withUnsafeMutableBytes { set(UnsafeMutableRawBufferPointer(rebasing: $0[count..<end])) }
        count = end
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// An answer with this body.
    func response(status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: room[..<count])))
    }
}
