internal import AppStoreTrust
public import Foundation

/// What a client posts to `verifyReceipt`.
public struct VerifyReceiptRequest: Sendable, Hashable {
    /// The receipt in base64: `receipt-data`.
    public var receiptData: String

    /// The shared secret: `password`.
    public var password: String?

    /// Whether only the latest renewal of each subscription is wanted: `exclude-old-transactions`. It concerns
    /// `latest_receipt_info` alone, which a receipt does not know.
    public var excludesOldTransactions: Bool

    /// A request by its parts.
    public init(receiptData: String, password: String? = nil, excludesOldTransactions: Bool = false) {
        self.receiptData = receiptData
        self.password = password
        self.excludesOldTransactions = excludesOldTransactions
    }

    /// Reads the body of a request.
    ///
    /// - Throws: `too_large`; `bad_json` when it is not a JSON object with the text `receipt-data`.
    public init(body: Data, limits: ReceiptLimits = ReceiptLimits()) throws(VerificationError) {
        // Room for the other members, and for the solidus of base64 escaped as some writers do.
        guard body.count / 2 <= limits.bytes else {
            throw VerificationError(.tooLarge, "the request is larger than twice \(limits.bytes) bytes")
        }
        do {
            self = try JSONDecoder().decode(VerifyReceiptRequest.self, from: body)
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

    /// Decodes Apple's names; everything but the receipt may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        receiptData = try container.decode(String.self, forKey: .receiptData)
        password = try container.decodeIfPresent(String.self, forKey: .password)
        excludesOldTransactions = try container.decodeIfPresent(Bool.self, forKey: .excludesOldTransactions) ?? false
    }
}
