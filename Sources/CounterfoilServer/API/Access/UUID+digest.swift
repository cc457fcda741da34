internal import Crypto
internal import Foundation

extension UUID {
    /// Creates a UUID from texts: equal for equal texts, different for different texts.
    init(digestOf parts: [String]) {
        var hash = SHA256()
        for part in parts { hash.update(data: Data("\(part.utf8.count):\(part)".utf8)) }
        var bytes = Array(hash.finalize().prefix(16))
        // RFC 9562, section 5.8: version 8 is for custom UUIDs.
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}
