internal import Crypto
internal import Foundation

/// Where the next page begins, as text that clients send back: a `revision` or a `paginationToken`.
///
/// It holds a position and when it was made, and a digest over both and over everything it is bound to: endpoint, customer,
/// filters. So a token that was changed or belongs to another request is known, without a memory of tokens; it survives the
/// simulator's restart. It need not resist anybody who means harm.
struct PageToken: Hashable {
    /// How far the pages have come. What the two numbers mean is the endpoint's business.
    var position: Int64
    var minor: Int64 = 0
    /// When it was made, in milliseconds since 1970.
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
            // The length first, so that no two lists give the same bytes.
            withUnsafeBytes(of: part.utf8.count.bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: Array(part.utf8))
        }
        bytes += hash.finalize().prefix(12)
        return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    }
}

extension PageToken {
    /// Reads a token; nil for what is none, or another request's.
    init?(_ text: String, boundTo request: some Sequence<String>) {
        guard text.utf8.count == Self.size / 3 * 4,
            let data = Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/")),
            data.count == Self.size
        else { return nil }
        let bytes = Array(data)
        func number(at offset: Int) -> Int64 {
            bytes[offset..<offset + 8].reduce(0) { $0 << 8 | Int64($1) }
        }
        position = number(at: 0)
        minor = number(at: 8)
        made = number(at: 16)
        // One text for each token: whatever else decodes to the same bytes is not ours.
        guard self.text(boundTo: request) == text else { return nil }
    }
}
