package import AppStoreTrust
internal import Basics
internal import Crypto
internal import Foundation
internal import Ledger

extension UnverifiedItem {
    package init(_ text: String, _ refusal: VerificationError, isNotification: Bool) {
        // One notification is missing once, however often it comes.
        let claimedUUID = isNotification ? Self.claimedUUID(text) : nil
        self.init(
            digest: Data(SHA256.hash(data: Data((claimedUUID ?? text).utf8)).prefix(16)), claimedUUID: claimedUUID,
            code: "\(refusal.code)", message: refusal.message)
    }

    private struct Claim: Decodable { var notificationUUID: String }

    /// What a notification says it is. Only to notice that it came after all: nothing is believed of it.
    private static func claimedUUID(_ text: String) -> String? {
        let segments = text.prefix(1 << 20).split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3,
            let payload = Array(segments[1].utf8).withUnsafeBytes({ Base64.decodeURL($0) })
        else { return nil }
        do {
            let claim = try StrictJSONDecoder.decode(Claim.self, from: payload)
            return claim.notificationUUID.utf8.count <= 64 ? claim.notificationUUID : nil
        } catch { return nil }
    }
}
