internal import Basics
package import Foundation

extension NotificationRecord {
    /// The signatures of a notification. The payload can be rebuilt, and together with the signatures yields the exact
    /// signed text.
    ///
    /// They are stored in one byte array: the generation, then each part after its length. Four separate values would
    /// take four times the memory.
    package struct Signatures: Sendable {
        fileprivate var bytes: [UInt8]

        /// Creates the signatures. `generation`, the leaf's number, and `leaf`, its certificate's serial number,
        /// identify the signing leaf: every authority numbers its leaves from 1.
        package init(generation: Int, leaf: Data, notification: Data, transaction: Data?, renewalInfo: Data?) {
            bytes = []
            bytes.reserveCapacity(
                12 + leaf.count + notification.count + (transaction?.count ?? 0) + (renewalInfo?.count ?? 0))
            withUnsafeBytes(of: Int64(generation).littleEndian) { bytes.append(contentsOf: $0) }
            for part in [leaf, notification, transaction ?? Data(), renewalInfo ?? Data()] {
                // A serial number has at most 20 bytes and a signature has 64. Longer parts are invalid and are
                // truncated.
                bytes.append(UInt8(clamping: part.count))
                bytes.append(contentsOf: part.prefix(255))
            }
        }

        /// All bytes in base64url.
        package var text: String { Base64.encodeURL(bytes) }

        package var generation: Int {
            Int(truncatingIfNeeded: bytes.prefix(8).reversed().reduce(0 as Int64) { $0 << 8 | Int64($1) })
        }
        package var leaf: Data { part(0) }
        package var notification: Data { part(1) }
        package var transaction: Data? { present(part(2)) }
        package var renewalInfo: Data? { present(part(3)) }

        private func present(_ part: Data) -> Data? { part.isEmpty ? nil : part }

        private func part(_ number: Int) -> Data {
            var start = 8
            for _ in 0..<number where start < bytes.count { start += 1 + Int(bytes[start]) }
            guard start < bytes.count, start + Int(bytes[start]) < bytes.count else { return Data() }
            return Data(bytes[(start + 1)...].prefix(Int(bytes[start])))
        }
    }
}

extension NotificationRecord.Signatures: Codable {
    /// Decodes base64url of all bytes.
    package init(from decoder: any Decoder) throws {
        guard let bytes = Base64.decodeURL(try decoder.singleValueContainer().decode(String.self)) else {
            throw SnapshotTemplates.damaged
        }
        self.bytes = bytes
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
