public import AppStoreModels
public import Foundation

/// What a response of `verifyReceipt`, the retired endpoint, says of a customer.
///
/// Such a response is not signed: it is worth as much as the connection it came by. The receipt in it may be of another
/// app or environment; compare ``bundleID`` and ``environment`` before using the facts.
public struct VerifyReceiptFacts: Sendable, Hashable {
    /// The facts.
    public let facts: CustomerFacts
    /// `bundle_id` of the receipt, `bid` in very old ones.
    public let bundleID: String?
    /// `environment`; older responses have none.
    public let environment: AppStoreEnvironment?

    /// Reads a response.
    ///
    /// The purchases are those of `latest_receipt_info`, and those of `receipt.in_app` that are missing there. The former
    /// count as signed when the App Store was asked, the latter when the receipt was made, but none after `received`. What was
    /// restored on another device is the purchase that it is a copy of, with its identifier and its date.
    ///
    /// - Parameters:
    ///   - response: The body, as the App Store sent it.
    ///   - received: When it was received.
    ///   - catalogue: Tells the kinds of products apart, which receipts do not.
    ///   - limits: How much may be in it.
    public init(
        response: Data, received: Date, catalogue: ProductCatalogue, limits: VerifyReceiptLimits = .init()
    ) throws(VerifyReceiptError) {
        try self.init(response: response, received: received, catalogue: catalogue, kinds: [:], limits: limits)
    }

    /// The same with the kinds of products that are known beside the catalogue, by transaction.
    package init(
        response: Data, received: Date, catalogue: ProductCatalogue, kinds: [String: ProductType],
        limits: VerifyReceiptLimits = .init()
    ) throws(VerifyReceiptError) {
        guard response.count <= limits.bytes else {
            throw VerifyReceiptError(.tooLarge, "the response is larger than \(limits.bytes) bytes")
        }
        let written: WrittenResponse
        do { written = try JSONDecoder().decode(WrittenResponse.self, from: response) } catch {
            throw VerifyReceiptError(.badJSON, "the response is not a JSON object of the kind that verifyReceipt sends")
        }
        try Self.checkStatus(written)
        let reader = ReceiptReader(
            written: written, received: received, catalogue: catalogue, kinds: kinds, limits: limits)
        facts = CustomerFacts(transactions: try reader.transactions(), renewals: try reader.renewals())
        bundleID = written.receipt?.members.text("bundle_id") ?? written.receipt?.members.text("bid")
        environment = written.members.text("environment").map { AppStoreEnvironment(rawValue: $0) }
    }

    /// 0, or 21006: the subscription of a very old receipt is over, and the receipt is there all the same.
    private static func checkStatus(_ written: WrittenResponse) throws(VerifyReceiptError) {
        guard let status = written.members.text("status").flatMap({ Int($0) }) else {
            throw VerifyReceiptError(.badJSON, "the response has no status")
        }
        guard status != 0, status != 21006 else { return }
        let saysRetry = written.members.flag("is-retryable") || written.members.flag("is_retryable")
        throw VerifyReceiptError(
            .badStatus, "the App Store's status is \(status)", status: status,
            isRetryable: saysRetry || status == 21005 || status == 21009)
    }
}
