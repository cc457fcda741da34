internal import AppStoreTrust
internal import Crypto
package import Foundation
internal import Synchronization

/// A signed text as the ledger keeps it: a third of the size, and the exact text again when it is asked for.
///
/// Most of a JWS is certificates, the same in every one, and most of a notification are two more JWS inside. So headers
/// are kept once and referred to, and base64url is undone wherever that can be made good exactly. The bytes are
/// ```
/// version (1)  header (8)  segment…  0  signature
/// segment: 1 length (4) bytes | 2 header (8) length (4) payload length (1) signature
/// ```
/// with numbers in network byte order. A header's number is the beginning of its SHA-256, so nobody has to hand them out.
package struct PackedText: Sendable, Hashable {
    /// What is stored.
    package var bytes: Data
    /// The headers that it refers to.
    package var headers: Set<Int64>
}

/// The headers of signed texts, by number. There are as many as signing certificates.
package final class HeaderBook: Sendable {
    private struct State {
        var texts: [Int64: String] = [:]
        var numbers: [String: Int64] = [:]
        var kept: Set<Int64> = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of a header.
    func number(of text: String) -> Int64 {
        if let known = state.withLock({ $0.numbers[text] }) { return known }
        let number = SHA256.hash(data: Data(text.utf8)).prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        state.withLock {
            $0.texts[number] = text
            $0.numbers[text] = number
        }
        return number
    }

    /// The header with this number.
    func text(of number: Int64) -> String? { state.withLock { $0.texts[number] } }

    /// Learns what the storage has.
    func load(_ number: Int64, _ text: String) {
        state.withLock {
            $0.texts[number] = text
            $0.numbers[text] = number
            $0.kept.insert(number)
        }
    }

    /// Those among `numbers` that the storage does not have yet, with their texts.
    func unkept(_ numbers: Set<Int64>) -> [(Int64, String)] {
        state.withLock { state in
            numbers.subtracting(state.kept).compactMap { number in state.texts[number].map { (number, $0) } }
        }
    }

    /// Notes that the storage has them for good.
    func noteKept(_ numbers: Set<Int64>) { state.withLock { $0.kept.formUnion(numbers) } }
}

extension HeaderBook {
    /// Packs a JWS in compact form. Text of any other form, which no verifier lets pass, is kept as it is.
    package func pack(_ text: String) -> PackedText {
        var text = text
        var packing = Packing(book: self)
        let isPacked = text.withUTF8 { packing.pack(UnsafeRawBufferPointer($0)) }
        guard isPacked else { return PackedText(bytes: Data([0]) + Data(text.utf8), headers: []) }
        return PackedText(bytes: packing.bytes, headers: packing.headers)
    }

    /// The exact text; nil when the bytes are not what ``pack(_:)`` made, or a header is missing.
    package func unpack(_ bytes: Data) -> String? {
        var unpacking = Unpacking(book: self, bytes: [UInt8](bytes))
        return unpacking.text()
    }
}

/// Writes packed text.
private struct Packing {
    let book: HeaderBook
    var bytes = Data()
    var headers: Set<Int64> = []

    mutating func pack(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let form = Compact(text, from: 0, end: text.count), form.end == text.count,
            let payload = Base64.decodeURL(UnsafeRawBufferPointer(rebasing: text[form.payload])),
            let signature = Base64.decodeURL(UnsafeRawBufferPointer(rebasing: text[form.signature])),
            signature.count <= 255
        else { return false }
        bytes.reserveCapacity(payload.count + 128)
        bytes.append(1)
        append(header: text, form.header)
        payload.withUnsafeBytes { segments(of: $0) }
        bytes.append(0)
        bytes.append(contentsOf: signature)
        return true
    }

    /// The payload, with every JWS that is a string of its JSON packed too.
    private mutating func segments(of payload: UnsafeRawBufferPointer) {
        var start = 0
        var place = 0
        // A JWS in JSON is a string, and begins as every base64 of `{"` does.
        while let found = find("\"eyJ", in: payload, from: place) {
            place = found + 4
            guard let form = Compact(payload, from: found + 1, end: payload.count), form.end < payload.count,
                payload[form.end] == UInt8(ascii: "\""),
                let inner = Base64.decodeURL(UnsafeRawBufferPointer(rebasing: payload[form.payload])),
                let signature = Base64.decodeURL(UnsafeRawBufferPointer(rebasing: payload[form.signature])),
                signature.count <= 255
            else { continue }
            literal(payload, start..<found + 1)
            bytes.append(2)
            append(header: payload, form.header)
            append(UInt32(truncatingIfNeeded: inner.count))
            bytes.append(contentsOf: inner)
            bytes.append(UInt8(truncatingIfNeeded: signature.count))
            bytes.append(contentsOf: signature)
            start = form.end
            place = form.end
        }
        literal(payload, start..<payload.count)
    }

    private mutating func literal(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        bytes.append(1)
        append(UInt32(truncatingIfNeeded: range.count))
        bytes.append(contentsOf: text[range])
    }

    private mutating func append(header text: UnsafeRawBufferPointer, _ range: Range<Int>) {
        let number = book.number(of: String(decoding: text[range], as: UTF8.self))
        headers.insert(number)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ number: UInt32) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Where the next string begins that starts like this.
    private func find(_ word: StaticString, in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var place = start
        while let base = text.baseAddress, place + word.utf8CodeUnitCount <= text.count,
            let found = memchr(base + place, CInt(word.utf8Start[0]), text.count - place)
        {
            let quote = UnsafeRawPointer(found) - base
            guard quote + word.utf8CodeUnitCount <= text.count else { return nil }
            if memcmp(base + quote, word.utf8Start, word.utf8CodeUnitCount) == 0 { return quote }
            place = quote + 1
        }
        return nil
    }
}

/// Where the three segments of a JWS are.
private struct Compact {
    let header: Range<Int>
    let payload: Range<Int>
    let signature: Range<Int>
    /// The first place that is no longer part of it.
    var end: Int { signature.upperBound }

    init?(_ text: UnsafeRawBufferPointer, from start: Int, end: Int) {
        guard let first = Self.end(of: text, start, end), first < end, text[first] == UInt8(ascii: "."),
            let second = Self.end(of: text, first + 1, end), second < end, text[second] == UInt8(ascii: "."),
            let third = Self.end(of: text, second + 1, end)
        else { return nil }
        header = start..<first
        payload = first + 1..<second
        signature = second + 1..<third
    }

    /// Where a segment ends, which has to have a letter.
    private static func end(of text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Int? {
        var place = start
        while place < end, isLetter(text[place]) { place += 1 }
        return place > start ? place : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// Reads packed text. The bytes come from a file that may be damaged.
private struct Unpacking {
    let book: HeaderBook
    let bytes: [UInt8]
    private var place = 0

    init(book: HeaderBook, bytes: [UInt8]) {
        self.book = book
        self.bytes = bytes
    }

    mutating func text() -> String? {
        guard let version = take(1)?.first else { return nil }
        if version == 0 { return String(decoding: bytes[1...], as: UTF8.self) }
        guard version == 1, let header = header(), let payload = payload() else { return nil }
        return header + "." + Base64.encodeURL(payload) + "." + Base64.encodeURL(bytes[place...])
    }

    private mutating func payload() -> [UInt8]? {
        var payload: [UInt8] = []
        payload.reserveCapacity(bytes.count * 5)
        while let kind = take(1)?.first {
            switch kind {
            case 0: return payload
            case 1:
                guard let count = count(), let literal = take(count) else { return nil }
                payload += literal
            case 2:
                guard let header = header(), let count = count(), let inner = take(count),
                    let size = take(1)?.first, let signature = take(Int(size))
                else { return nil }
                payload += header.utf8
                payload.append(UInt8(ascii: "."))
                payload += Base64.encodeURL(inner).utf8
                payload.append(UInt8(ascii: "."))
                payload += Base64.encodeURL(signature).utf8
            default: return nil
            }
        }
        return nil
    }

    private mutating func header() -> String? {
        take(8).map { $0.reduce(Int64(0)) { $0 << 8 | Int64($1) } }.flatMap(book.text(of:))
    }

    private mutating func count() -> Int? { take(4).map { $0.reduce(0) { $0 << 8 | Int($1) } } }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - place else { return nil }
        defer { place += count }
        return bytes[place..<place + count]
    }
}
