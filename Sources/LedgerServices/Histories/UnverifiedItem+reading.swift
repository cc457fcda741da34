internal import AppStoreServer
package import AppStoreTrust
internal import Basics
internal import Crypto
internal import Foundation
internal import Ledger

extension UnverifiedItem {
    package init(_ text: String, _ refusal: VerificationError, isNotification: Bool) {
        // The same notification counts once, even if it is signed anew each time.
        let claimedUUID = isNotification ? Self.claimedUUID(text) : nil
        self.init(
            digest: Data(SHA256.hash(data: Data((claimedUUID ?? text).utf8)).prefix(16)), claimedUUID: claimedUUID,
            code: "\(refusal.code)", message: refusal.message)
    }

    private struct Claim: Decodable { var notificationUUID: String }

    /// Returns the UUID that an unverified notification claims. It serves only to notice a later verified notification
    /// with the same UUID.
    private static func claimedUUID(_ text: String) -> String? {
        guard let payload = CompactJWS.payload(of: String(text.prefix(1 << 20))) else { return nil }
        do {
            let claim = try StrictJSONDecoder.decode(Claim.self, from: payload)
            return claim.notificationUUID.utf8.count <= 64 ? claim.notificationUUID : nil
        } catch { return nil }
    }
}
