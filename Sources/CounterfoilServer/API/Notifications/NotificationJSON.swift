internal import AppStoreTrust
internal import Basics
internal import Ledger
internal import LedgerServices

/// Writes notifications as JSON.
enum NotificationJSON {
    /// - Parameter more: Writes additional members after the others.
    static func write(
        _ stored: StoredNotification, _ scopes: AppEnvironmentRegistry, to json: inout JSONWriter,
        adding more: (inout JSONWriter) -> Void = { _ in }
    ) {
        json.object("notification") { json in
            members(of: stored, scopes, to: &json)
            more(&json)
        }
    }

    /// Writes the members that are known without decoding the notification.
    static func members(of stored: StoredNotification, _ scopes: AppEnvironmentRegistry, to json: inout JSONWriter) {
        json.member("uuid", stored.uuid)
        json.member("type", stored.type)
        json.member("subtype", stored.subtype)
        json.members(of: scopes[id: stored.scope])
        json.member("signed_date", stored.signedDate)
        json.member("received_at", stored.receivedAt)
        json.member("origin", stored.origin.name)
        if LateDelivery.isLate(signed: stored.signedDate, received: stored.receivedAt, stored.origin) {
            json.member("is_retry", true)
        }
        json.member("state", stored.state.rawValue)
        json.member("failure", stored.failure)
        if stored.isOtherText { json.member("is_other_text", true) }
    }

    /// Writes the certificates, the instant and the revocation check of a verification.
    static func write(_ trace: VerificationTrace, to json: inout JSONWriter) {
        json.object("verification") { json in
            json.member("anchor", trace.anchor)
            json.member("validated_at", trace.validatedAt)
            json.member("revocation", trace.revocation.status.rawValue)
            json.member("revocation_note", trace.revocation.explanation)
            json.member("certificates", trace.certificates) { json, certificate in
                json.object { json in
                    json.member("subject", certificate.subject)
                    json.member("issuer", certificate.issuer)
                    json.member("serial_number", certificate.serialNumber)
                    json.member("fingerprint", certificate.fingerprint)
                    json.member("not_before", certificate.notBefore)
                    json.member("not_after", certificate.notAfter)
                    json.member("markers", certificate.markers) { $0.string($1) }
                }
            }
        }
    }
}
