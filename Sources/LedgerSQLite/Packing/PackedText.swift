internal import Basics
internal import Crypto
package import Foundation
internal import Synchronization

/// The stored form of a signed text: a third of its size, from which the exact text can be restored.
///
/// Most of a JWS is certificates, which are the same in every JWS, and most of a notification is two JWS inside it. So
/// headers are stored once and referenced, and base64url is decoded where it can be restored exactly. The bytes are
/// ```
/// version (1)  header (8)  segment…  0  signature
/// segment: 1 length (4) bytes | 2 header (8) length (4) payload length (1) signature
/// ```
/// with numbers in network byte order. A header's number is a prefix of its SHA-256, so numbers need no registration.
package struct PackedText: Sendable, Hashable {
    /// The bytes to store.
    package var bytes: Data
    /// The numbers of the referenced headers.
    package var headers: Set<Int64>
}

/// The headers of signed texts, by number. There are as many as signing certificates.
package final class HeaderRegistry: Sendable {
    private struct State {
        var texts: [Int64: [UInt8]] = [:]
        /// The most recently added headers, the newest first: nearly every text has the header of the previous one.
        var recent: [(text: [UInt8], number: Int64)] = []
        var stored: Set<Int64> = []
    }

    private static let recentCount = 8
    private let state = Mutex(State())

    package init() {}

    /// Returns the number of a header.
    func number(of text: UnsafeRawBufferPointer) -> Int64 {
        let recent = state.withLock { $0.recent }
        for entry in recent where Self.isEqual(entry.text, text) { return entry.number }
        let number = Self.hash(text)
        state.withLock { state in
            let bytes = Array(text)
            state.texts[number] = bytes
            if state.recent.count >= Self.recentCount { state.recent.removeLast() }
            state.recent.insert((bytes, number), at: 0)
        }
        return number
    }

    private static func hash(_ text: some DataProtocol) -> Int64 {
        SHA256.hash(data: text).prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }

    // `memcmp`: comparing in a loop would take longer than a SHA-256.
    private static func isEqual(_ known: [UInt8], _ text: UnsafeRawBufferPointer) -> Bool {
        guard known.count == text.count, let base = text.baseAddress else { return false }
        return known.withUnsafeBytes { bytes in bytes.baseAddress.map { memcmp($0, base, text.count) == 0 } ?? false }
    }

    /// Returns the header with a number.
    func text(of number: Int64) -> [UInt8]? { state.withLock { $0.texts[number] } }

    /// Adds a header that is in the database. A damaged one is ignored: the next text with that header stores it again.
    func load(_ number: Int64, _ text: String) {
        let bytes = Array(text.utf8)
        guard Self.hash(bytes) == number else { return }
        state.withLock {
            $0.texts[number] = bytes
            $0.stored.insert(number)
        }
    }

    /// Returns those of the headers that are not in the database yet.
    func unstored(_ numbers: Set<Int64>) -> [(Int64, String)] {
        state.withLock { state in
            numbers.subtracting(state.stored).compactMap { number in
                state.texts[number].map { (number, String(decoding: $0, as: UTF8.self)) }
            }
        }
    }

    /// Marks headers as stored in the database.
    func markStored(_ numbers: Set<Int64>) { state.withLock { $0.stored.formUnion(numbers) } }
}

extension HeaderRegistry {
    /// Packs a JWS in compact form. A text of any other form, which no verifier accepts, is stored as it is.
    package func pack(_ text: String) -> PackedText {
        var text = text
        var packing = Packing(registry: self)
        let isPacked = text.withUTF8 { packing.pack(UnsafeRawBufferPointer($0)) }
        guard isPacked else { return PackedText(bytes: Data([0]) + Data(text.utf8), headers: []) }
        return PackedText(bytes: Data(packing.bytes), headers: Set(packing.headers))
    }

    /// Restores the exact text; nil if the bytes are corrupt, or a header is missing.
    package func unpack(_ bytes: Data) -> String? {
        var unpacking = Unpacking(registry: self, bytes: [UInt8](bytes))
        return unpacking.text()
    }
}

/// Encodes packed text.
private struct Packing {
    let registry: HeaderRegistry
    var bytes: [UInt8] = []
    var headers: [Int64] = []

    mutating func pack(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let jws = DecodedJWS(text, 0..<text.count) else { return false }
        bytes.reserveCapacity(jws.payload.count + 128)
        bytes.append(1)
        append(header: jws.header)
        jws.payload.withUnsafeBytes { segments(of: $0) }
        bytes.append(0)
        bytes.append(contentsOf: jws.signature)
        return true
    }

    /// Writes the payload; every JWS in a string of its JSON is packed too.
    private mutating func segments(of payload: UnsafeRawBufferPointer) {
        var start = 0
        var place = 0
        // A JWS in JSON is a string that begins with the base64 of `{"`.
        while let found = find("\"eyJ", in: payload, from: place) {
            place = found + 4
            guard let end = position(of: "\"", in: payload, from: place),
                let jws = DecodedJWS(payload, found + 1..<end)
            else { continue }
            literal(payload, start..<found + 1)
            bytes.append(2)
            append(header: jws.header)
            append(UInt32(truncatingIfNeeded: jws.payload.count))
            bytes.append(contentsOf: jws.payload)
            bytes.append(UInt8(truncatingIfNeeded: jws.signature.count))
            bytes.append(contentsOf: jws.signature)
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

    private mutating func append(header: UnsafeRawBufferPointer) {
        let number = registry.number(of: header)
        if !headers.contains(number) { headers.append(number) }
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ number: UInt32) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Returns the position of the next string that begins with `word`.
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

/// The three segments of a JWS. The header is never decoded.
private struct DecodedJWS {
    let header: UnsafeRawBufferPointer
    let payload: [UInt8]
    let signature: [UInt8]

    init?(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) {
        guard let first = position(of: ".", in: text, from: range.lowerBound), first < range.upperBound,
            let second = position(of: ".", in: text, from: first + 1), second < range.upperBound,
            let payload = Base64.decodeURL(UnsafeRawBufferPointer(rebasing: text[first + 1..<second])),
            let signature = Base64.decodeURL(UnsafeRawBufferPointer(rebasing: text[second + 1..<range.upperBound])),
            signature.count <= 255
        else { return nil }
        header = UnsafeRawBufferPointer(rebasing: text[range.lowerBound..<first])
        (self.payload, self.signature) = (payload, signature)
    }
}

/// Returns the next position of a letter.
private func position(of letter: Unicode.Scalar, in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < text.count, let base = text.baseAddress,
        let found = memchr(base + start, CInt(letter.value), text.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
}

/// Decodes packed text. The bytes come from a file that may be corrupt.
private struct Unpacking {
    let registry: HeaderRegistry
    let bytes: [UInt8]
    var place = 0

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
