public import CounterfoilClient
public import Foundation

extension DeviceTransaction {
    /// Makes a transaction from a JWS without verifying the signature. Nil if the text is not a signed transaction.
    public init?(jws: String, isVerified: Bool) {
        guard let payload: Payload = SignedText.payload(of: jws), let id = UInt64(payload.transactionId) else {
            return nil
        }
        self.init(
            id: id, originalID: payload.originalTransactionId.flatMap { UInt64($0) } ?? id,
            productID: payload.productId, kind: payload.type, quantity: payload.quantity ?? 1,
            purchaseDate: payload.purchaseDate, expirationDate: payload.expiresDate,
            revocationDate: payload.revocationDate, isUpgraded: payload.isUpgraded ?? false,
            ownership: payload.inAppOwnershipType ?? .purchased,
            appAccountToken: payload.appAccountToken.flatMap { UUID(uuidString: $0) },
            environment: payload.environment ?? "", signedDate: payload.signedDate, jws: jws, isVerified: isVerified)
    }

    private struct Payload: Decodable {
        var transactionId: String
        var originalTransactionId: String?
        var productId: String
        var type: ProductKind
        var quantity: Int?
        var purchaseDate: Date
        var expiresDate: Date?
        var revocationDate: Date?
        var isUpgraded: Bool?
        var inAppOwnershipType: Ownership?
        var appAccountToken: String?
        var environment: String?
        var signedDate: Date
    }
}

extension DeviceTransaction {
    /// Makes a transaction whose JWS has no valid signature. Servers that verify signatures refuse it.
    public static func unsigned(
        _ id: UInt64, _ productID: String, _ kind: ProductKind = .autoRenewable, originalID: UInt64? = nil,
        purchased: Date, expires: Date? = nil, revoked: Date? = nil, token: UUID? = nil, signed: Date? = nil,
        environment: String = "Sandbox", isVerified: Bool = true, isRenewal: Bool = false
    ) -> DeviceTransaction {
        func instant(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970 * 1000) }
        var payload: [String: Any] = [
            "transactionId": String(id), "originalTransactionId": String(originalID ?? id), "productId": productID,
            "type": kind.rawValue, "purchaseDate": instant(purchased), "environment": environment,
            "signedDate": instant(signed ?? purchased),
        ]
        payload["expiresDate"] = expires.map(instant)
        payload["revocationDate"] = revoked.map(instant)
        payload["appAccountToken"] = token?.uuidString
        if isRenewal { payload["transactionReason"] = "RENEWAL" }
        return DeviceTransaction(
            id: id, originalID: originalID ?? id, productID: productID, kind: kind, purchaseDate: purchased,
            expirationDate: expires, revocationDate: revoked, appAccountToken: token, environment: environment,
            signedDate: signed ?? purchased, jws: unsignedText(payload), isVerified: isVerified)
    }

    /// Makes a JWS without a valid signature.
    static func unsignedText(_ payload: [String: Any]) -> String {
        // The payload has only strings and numbers, so encoding cannot fail.
        let data = (try? JSONSerialization.data(withJSONObject: payload, options: .sortedKeys)) ?? Data()
        let text = data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        return "e30.\(text).e30"
    }
}
