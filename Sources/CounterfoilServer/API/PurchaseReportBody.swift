internal import AppStoreModels
internal import HTTPTypes
internal import LedgerServices
internal import Foundation

/// A ``PurchaseReport`` as it is sent.
struct PurchaseReportBody: JSONRequestBody {
    private(set) var report = PurchaseReport()
    /// See ``Takeover``.
    var restore: Bool?
    /// Whether it says nothing of what was bought, not even that it is nothing.
    private var isEmpty: Bool
    /// A list that has more than ``maximumTransactions``.
    private var tooLong: CodingKeys?

    /// A device has what its customer bought in a lifetime. More than this is no customer's.
    static let maximumTransactions = 500

    static let members = CodingKeys.allCases.map(\.rawValue)

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case signedTransactions = "signed_transactions"
        case signedRenewals = "signed_renewals"
        case appTransaction = "app_transaction"
        case receipt, restore
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let transactions = try container.decodeIfPresent([String].self, forKey: .signedTransactions) ?? []
        let renewals = try container.decodeIfPresent([String].self, forKey: .signedRenewals) ?? []
        // Each is verified once, however often it was sent.
        report.signedTransactions = Self.items(transactions, .signedTransactions)
        report.signedRenewals = Self.items(renewals, .signedRenewals)
        tooLong =
            transactions.count > Self.maximumTransactions
            ? .signedTransactions : renewals.count > Self.maximumTransactions ? .signedRenewals : nil
        report.appTransaction = try container.decodeIfPresent(String.self, forKey: .appTransaction)
        report.receipt = try container.decodeIfPresent(String.self, forKey: .receipt)
        restore = try container.decodeIfPresent(Bool.self, forKey: .restore)
        isEmpty =
            !container.contains(.signedTransactions) && report.signedRenewals.isEmpty
            && report.appTransaction == nil && report.receipt == nil
    }

    private static func items(_ texts: [String], _ key: CodingKeys) -> [PurchaseReport.Item] {
        var seen: Set<ExactText> = []
        return texts.enumerated().compactMap { index, text in
            guard seen.insert(ExactText(text)).inserted else { return nil }
            return PurchaseReport.Item(text: text, parameter: "\(key.rawValue)[\(index)]")
        }
    }

    /// Reads the body of a request.
    init(body: [UInt8]) throws(APIFailure) {
        try self.init(
            body: body,
            form:
                """
                a JSON object with signed_transactions, signed_renewals, app_transaction, receipt and restore, all optional
                """
        )
        guard !isEmpty else {
            throw APIFailure(
                .badRequest, "empty_report",
                """
                Send signed_transactions, signed_renewals, app_transaction or receipt; an empty list of transactions means \
                that nothing was bought.
                """,
                parameter: "signed_transactions")
        }
        if let tooLong {
            throw APIFailure(
                "too_many_transactions",
                "A request has at most \(Self.maximumTransactions) transactions; send the rest in another request.",
                parameter: tooLong.rawValue)
        }
    }
}
