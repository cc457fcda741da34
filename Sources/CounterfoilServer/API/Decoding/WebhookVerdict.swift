internal import Foundation
internal import Ledger
internal import LedgerServices

/// Verifies a webhook that this server may have sent.
enum WebhookVerdict {
    /// How far the time of a webhook may differ from the receiver's clock, in seconds: see Standard Webhooks.
    private static let tolerance = 300.0

    static func make(
        _ headers: [String: String], _ body: Data, _ secrets: [String: [Secret]], now: Date
    ) -> DecodeVerdict {
        let isJSON = VerbatimJSON.object(Array(body)) != nil
        var verdict = DecodeVerdict(
            kind: "webhook", message: "", payload: isJSON ? Array(body) : nil)
        guard let id = headers["webhook-id"], let time = headers["webhook-timestamp"].flatMap(Int64.init),
            let signatures = headers["webhook-signature"]?.split(separator: " ").map(String.init)
        else {
            verdict.code = "missing_header"
            verdict.message = "Refused: the headers webhook-id, webhook-timestamp and webhook-signature are required."
            verdict.checks = [.init(name: "headers", result: .failed), .init(name: "signature", result: .notReached)]
            return verdict
        }
        let date = Date(timeIntervalSince1970: Double(time))
        let endpoint = secrets.sorted { $0.key < $1.key }.first { _, secrets in
            secrets.contains { secret in
                let expected = WebhookSignature.headers(id: id, date: date, body: body, secrets: [secret])
                return expected.contains { $0.name == "webhook-signature" && signatures.contains($0.value) }
            }
        }?.key
        let age = now.timeIntervalSince(date)
        let isCurrent = abs(age) <= tolerance
        let note = age > 0 ? "Older than five minutes" : "Dated more than five minutes in the future"
        verdict.checks = [
            .init(name: "headers", result: .passed),
            .init(name: "signature", result: endpoint == nil ? .failed : .passed),
            .init(
                name: "age", result: isCurrent ? .passed : .failed,
                note: isCurrent ? nil : "\(note): receivers refuse it now."),
        ]
        guard let endpoint else {
            verdict.code = "bad_signature"
            verdict.message =
                "Refused: the signature matches no secret of an endpoint. A body that was parsed and serialized again "
                + "does not match either."
            return verdict
        }
        verdict.isProven = isCurrent
        verdict.code = isCurrent ? nil : age > 0 ? "expired" : "not_yet_valid"
        verdict.message =
            isCurrent
            ? "Valid: sent to the endpoint \(endpoint)."
            : "Refused: signed for the endpoint \(endpoint), but its time differs from now by more than 5 minutes."
        return verdict
    }
}
