internal import Basics
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
package final class HeaderRegistry: Sendable {
    private struct State {
        var texts: [Int64: [UInt8]] = [:]
        /// The same, the last one that was met first: nearly every text has the header of the one before.
        var recent: [(text: [UInt8], number: Int64)] = []
        var kept: Set<Int64> = []
    }

    private static let recentCount = 8
    private let state = Mutex(State())

    package init() {}

    /// The number of a header.
    func number(of text: UnsafeRawBufferPointer) -> Int64 {
        let recent = state.withLock { $0.recent }
        for entry in recent where Self.isEqual(entry.text, text) { return entry.number }
        let number = SHA256.hash(data: text).prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        state.withLock { state in
            let bytes = Array(text)
            state.texts[number] = bytes
            if state.recent.count >= Self.recentCount { state.recent.removeLast() }
            state.recent.insert((bytes, number), at: 0)
        }
        return number
    }

    // Byte by byte it would take longer than a SHA-256.
    private static func isEqual(_ known: [UInt8], _ text: UnsafeRawBufferPointer) -> Bool {
        guard known.count == text.count, let base = text.baseAddress else { return false }
        return known.withUnsafeBytes { bytes in bytes.baseAddress.map { memcmp($0, base, text.count) == 0 } ?? false }
    }

    /// The header with this number.
    func text(of number: Int64) -> [UInt8]? { state.withLock { $0.texts[number] } }

    /// Learns what the storage has.
    func load(_ number: Int64, _ text: String) {
        state.withLock {
            $0.texts[number] = Array(text.utf8)
            $0.kept.insert(number)
        }
    }

    /// Those among `numbers` that the storage does not have yet, with their texts.
    func unkept(_ numbers: Set<Int64>) -> [(Int64, String)] {
        state.withLock { state in
            numbers.subtracting(state.kept).compactMap { number in
                state.texts[number].map { (number, String(decoding: $0, as: UTF8.self)) }
            }
        }
    }

    /// Notes that the storage has them for good.
    func markKept(_ numbers: Set<Int64>) { state.withLock { $0.kept.formUnion(numbers) } }
}

extension HeaderRegistry {
    /// Packs a JWS in compact form. Text of any other form, which no verifier lets pass, is kept as it is.
    package func pack(_ text: String) -> PackedText {
        var text = text
        var packing = Packing(registry: self)
        let isPacked = text.withUTF8 { packing.pack(UnsafeRawBufferPointer($0)) }
        guard isPacked else { return PackedText(bytes: Data([0]) + Data(text.utf8), headers: []) }
        return PackedText(bytes: Data(packing.bytes), headers: Set(packing.headers))
    }

    /// The exact text; nil when the bytes are not what ``pack(_:)`` made, or a header is missing.
    package func unpack(_ bytes: Data) -> String? {
        var unpacking = Unpacking(registry: self, bytes: [UInt8](bytes))
        return unpacking.text()
    }
}

/// Writes packed text.
private struct Packing {
    let registry: HeaderRegistry
    var bytes: [UInt8] = []
    var headers: [Int64] = []

    mutating func pack(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let form = Compact(text, 0..<text.count),
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
            guard let end = position(of: "\"", in: payload, from: place),
                let form = Compact(payload, found + 1..<end),
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
            start = end
            place = end
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
        let number = registry.number(of: UnsafeRawBufferPointer(rebasing: text[range]))
        if !headers.contains(number) { headers.append(number) }
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ number: UInt32) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Where the next string begins that starts like this.
    private func find(_ word: StaticString, in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var place = start
        while let base = text.baseAddress, let quote = position(of: "\"", in: text, from: place),
            quote + word.utf8CodeUnitCount <= text.count
        {
            if memcmp(base + quote, word.utf8Start, word.utf8CodeUnitCount) == 0 { return quote }
            place = quote + 1
        }
        return nil
    }
}

/// Where the three segments of a JWS are. What they are made of shows when they are decoded; a header never is.
private struct Compact {
    let header: Range<Int>
    let payload: Range<Int>
    let signature: Range<Int>

    init?(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) {
        guard let first = position(of: ".", in: text, from: range.lowerBound), first < range.upperBound,
            let second = position(of: ".", in: text, from: first + 1), second < range.upperBound
        else { return nil }
        header = range.lowerBound..<first
        payload = first + 1..<second
        signature = second + 1..<range.upperBound
    }
}

/// Where a letter is next.
private func position(of letter: Unicode.Scalar, in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < text.count, let base = text.baseAddress,
        let found = memchr(base + start, CInt(letter.value), text.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
}

/// Reads packed text. The bytes come from a file that may be damaged.
private struct Unpacking {
    let registry: HeaderRegistry
    let bytes: [UInt8]
    private var place = 0

    init(registry: HeaderRegistry, bytes: [UInt8]) {
        self.registry = registry
        self.bytes = bytes
    }

    mutating func text() -> String? {
        guard let version = take(1)?.first else { return nil }
        if version == 0 { return String(decoding: bytes[1...], as: UTF8.self) }
        guard version == 1, let header = header(), let payload = payload() else { return nil }
        return String(decoding: header, as: UTF8.self) + "." + Base64.encodeURL(payload) + "."
            + Base64.encodeURL(bytes[place...])
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
                payload += header
                payload.append(UInt8(ascii: "."))
                payload += Base64.encodeURL(inner).utf8
                payload.append(UInt8(ascii: "."))
                payload += Base64.encodeURL(signature).utf8
            default: return nil
            }
        }
        return nil
    }

    private mutating func header() -> [UInt8]? {
        take(8).map { $0.reduce(Int64(0)) { $0 << 8 | Int64($1) } }.flatMap(registry.text(of:))
    }

    private mutating func count() -> Int? { take(4).map { $0.reduce(0) { $0 << 8 | Int($1) } } }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - place else { return nil }
        defer { place += count }
        return bytes[place..<place + count]
    }
}
