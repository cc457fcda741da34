public import AppStoreModels
public import Foundation

/// The facts in a response of `verifyReceipt`, Apple's deprecated endpoint.
///
/// The response is not signed: trust it only as far as the connection it came from. Its receipt may belong to another
/// app or environment: compare ``bundleID`` and ``environment`` before using the facts.
public struct VerifyReceiptFacts: Sendable, Hashable {
    /// The facts.
    public let facts: CustomerFacts
    /// `bundle_id` of the receipt, or `bid` in very old ones.
    public let bundleID: String?
    /// `environment`; older responses have none.
    public let environment: AppStoreEnvironment?

    /// Reads a response.
    ///
    /// The purchases are those of `latest_receipt_info` and `latest_expired_receipt_info`, and those of the receipt that
    /// are missing there. The signing date of the former is the date of the response, that of the latter the creation
    /// date of the receipt, but never later than `received`. A non-consumable that was restored on another device is
    /// read as the original purchase, with its identifier and date.
    ///
    /// - Parameters:
    ///   - response: The body, as the App Store sent it.
    ///   - received: When it was received.
    ///   - catalogue: Determines the product types, which receipts do not contain.
    ///   - limits: The limits for the size of the response.
    /// - Throws: `too_large`, `bad_json`; `bad_status` for a status other than 0 and 21006; `malformed`.
    public init(
        response: Data, received: Date, catalogue: ProductCatalogue, limits: VerifyReceiptLimits = .init()
    ) throws(VerifyReceiptError) {
        try self.init(response: response, received: received, catalogue: catalogue, knownTypes: [:], limits: limits)
    }

    /// Reads a response with product types that are known in addition to the catalogue's, by transaction identifier.
    package init(
        response: Data, received: Date, catalogue: ProductCatalogue, knownTypes: [String: ProductType],
        limits: VerifyReceiptLimits = .init()
    ) throws(VerifyReceiptError) {
        guard response.count <= limits.bytes else {
            throw VerifyReceiptError(.tooLarge, "the response is larger than \(limits.bytes) bytes")
        }
        let decoded: DecodedResponse
        do { decoded = try JSONDecoder().decode(DecodedResponse.self, from: response) } catch {
            throw VerifyReceiptError(.badJSON, "the response is not a JSON object of the kind that verifyReceipt sends")
        }
        try Self.checkStatus(decoded)
        let reader = VerifyReceiptReader(
            response: decoded, received: received, catalogue: catalogue, knownTypes: knownTypes, limits: limits)
        facts = CustomerFacts(transactions: try reader.transactions(), renewals: try reader.renewals())
        bundleID = decoded.receipt?.members.text("bundle_id") ?? decoded.receipt?.members.text("bid")
        environment = decoded.members.text("environment").map { AppStoreEnvironment(rawValue: $0) }
    }

    /// Accepts 0, and 21006: the subscription of a very old receipt has expired, but the response contains the receipt.
    private static func checkStatus(_ decoded: DecodedResponse) throws(VerifyReceiptError) {
        guard let status = decoded.members.text("status").flatMap({ Int($0) }) else {
            throw VerifyReceiptError(.badJSON, "the response has no status")
        }
        guard status != 0, status != 21006 else { return }
        let saysRetry = decoded.members.flag("is-retryable") || decoded.members.flag("is_retryable")
        throw VerifyReceiptError(
            .badStatus, "the App Store's status is \(status)", status: status,
            isRetryable: saysRetry || status == 21005 || status == 21009)
    }
}
