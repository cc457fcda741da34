internal import AppStoreTrust
internal import Basics
public import Foundation

/// A request to `verifyReceipt`.
public struct VerifyReceiptRequest: Sendable, Hashable {
    /// The receipt in base64: `receipt-data`.
    public var receiptData: String

    /// The shared secret: `password`.
    public var password: String?

    /// Whether only the latest renewal of each subscription is requested: `exclude-old-transactions`. It affects only
    /// `latest_receipt_info`, which cannot be derived from a receipt.
    public var excludesOldTransactions: Bool

    /// Creates a request.
    public init(receiptData: String, password: String? = nil, excludesOldTransactions: Bool = false) {
        self.receiptData = receiptData
        self.password = password
        self.excludesOldTransactions = excludesOldTransactions
    }

    /// Parses the body of a request.
    ///
    /// - Throws: `too_large`; `bad_json` if it is not a JSON object with the string `receipt-data`, or if a member is
    ///   repeated.
    public init(body: Data, limits: ReceiptLimits = ReceiptLimits()) throws(VerificationError) {
        // Leave room for the other members, and for base64 with escaped slashes.
        guard body.count / 2 <= limits.bytes else {
            throw VerificationError(.tooLarge, "the request is larger than twice \(limits.bytes) bytes")
        }
        do {
            // Anybody can send a request. Foundation's decoder takes far longer for many members.
            self = try StrictJSONDecoder.decode(VerifyReceiptRequest.self, from: Array(body))
        } catch {
            throw VerificationError(.badJSON, "the request is not a JSON object with the text receipt-data")
        }
    }
}

extension VerifyReceiptRequest: Codable {
    private enum CodingKeys: String, CodingKey {
        case receiptData = "receipt-data"
        case password
        case excludesOldTransactions = "exclude-old-transactions"
    }

    /// Decodes Apple's member names. Only the receipt is required.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        receiptData = try container.decode(String.self, forKey: .receiptData)
        password = try container.decodeIfPresent(String.self, forKey: .password)
        excludesOldTransactions = try container.decodeIfPresent(Bool.self, forKey: .excludesOldTransactions) ?? false
    }
}
