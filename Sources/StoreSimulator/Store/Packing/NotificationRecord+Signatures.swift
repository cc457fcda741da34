internal import Basics
package import Foundation

extension NotificationRecord {
    /// The signatures of a notification. The payload can be rebuilt, and together with the signatures yields the exact
    /// signed text.
    ///
    /// They are stored in one byte array: the generation, then each part after its length. Four separate values would
    /// take four times the memory.
    package struct Signatures: Sendable {
        private var bytes: [UInt8]

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

        fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

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
    private enum CodingKeys: String, CodingKey { case generation, leaf, notification, transaction, renewalInfo }

    /// Decodes base64url of all bytes in a snapshot; elsewhere, and in older snapshots, an object with the parts.
    package init(from decoder: any Decoder) throws {
        if SnapshotTemplates.current != nil, let text = try decoder.singleValueContainer().decodeText() {
            guard let bytes = Base64.decodeURL(text) else { throw SnapshotTemplates.damaged }
            self.init(bytes: bytes)
            return
        }
        let members = try decoder.container(keyedBy: CodingKeys.self)
        // Base64, regardless of the decoder's data decoding strategy.
        func data(_ key: CodingKeys, _ text: String) throws -> Data {
            guard let data = Data(base64Encoded: text), data.count <= 255 else {
                throw DecodingError.dataCorruptedError(forKey: key, in: members, debugDescription: "not a signature")
            }
            return data
        }
        func required(_ key: CodingKeys) throws -> Data { try data(key, members.decode(String.self, forKey: key)) }
        func optional(_ key: CodingKeys) throws -> Data? {
            try members.decodeIfPresent(String.self, forKey: key).map { try data(key, $0) }
        }
        self.init(
            generation: try members.decode(Int.self, forKey: .generation), leaf: try required(.leaf),
            notification: try required(.notification), transaction: try optional(.transaction),
            renewalInfo: try optional(.renewalInfo))
    }

    package func encode(to encoder: any Encoder) throws {
        if SnapshotTemplates.current != nil {
            var container = encoder.singleValueContainer()
            return try container.encode(text)
        }
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(generation, forKey: .generation)
        try members.encode(leaf.base64EncodedString(), forKey: .leaf)
        try members.encode(notification.base64EncodedString(), forKey: .notification)
        try members.encodeIfPresent(transaction?.base64EncodedString(), forKey: .transaction)
        try members.encodeIfPresent(renewalInfo?.base64EncodedString(), forKey: .renewalInfo)
    }
}
