internal import Crypto
internal import Foundation

extension UUID {
    /// A UUID that follows from some texts: the same for the same texts, and another for any others.
    init(digestOf parts: [String]) {
        var hash = SHA256()
        for part in parts { hash.update(data: Data("\(part.utf8.count):\(part)".utf8)) }
        var bytes = Array(hash.finalize().prefix(16))
        // RFC 9562, 5.8: version 8 is for UUIDs of one's own making.
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}
