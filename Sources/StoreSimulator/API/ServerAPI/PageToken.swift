internal import Basics
internal import Crypto

/// The start of the next page as text that clients send back: a `revision` or a `paginationToken`.
///
/// A token contains a position, its creation time, and a digest over both and over the values that it is bound to:
/// endpoint, customer, filters. The digest detects tokens that were changed or belong to another request. The simulator
/// does not store tokens, so they remain valid after a restart. The digest has no key: it does not protect against
/// deliberate forgery.
struct PageToken: Hashable {
    /// The end of the previous page. Each endpoint defines the meaning of `position` and `minor`.
    var position: Int64
    var minor: Int64 = 0
    /// The creation time in milliseconds since 1970.
    var made: Int64 = 0

    private static let size = 3 * 8 + 12

    func text(boundTo request: some Sequence<String>) -> String {
        var bytes: [UInt8] = []
        for number in [position, minor, made] {
            withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
        }
        var hash = SHA256()
        hash.update(data: bytes)
        for part in request {
            // The length prefix ensures that different lists give different bytes.
            withUnsafeBytes(of: part.utf8.count.bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: Array(part.utf8))
        }
        bytes += hash.finalize().prefix(12)
        return Base64.encodeURL(bytes)
    }
}

extension PageToken {
    /// Parses a token. Returns nil if the text is not a token or belongs to another request.
    init?(_ text: String, boundTo request: some Sequence<String>) {
        guard let bytes = Base64.decodeURL(text), bytes.count == Self.size else { return nil }
        func number(at offset: Int) -> Int64 {
            bytes[offset..<offset + 8].reduce(0) { $0 << 8 | Int64($1) }
        }
        position = number(at: 0)
        minor = number(at: 8)
        made = number(at: 16)
        guard self.text(boundTo: request) == text else { return nil }
    }
}
