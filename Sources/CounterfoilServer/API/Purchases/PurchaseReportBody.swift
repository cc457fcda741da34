internal import AppStoreModels
internal import LedgerServices

/// The body of a request with a ``PurchaseReport``.
struct PurchaseReportBody: JSONRequestBody {
    private(set) var report = PurchaseReport()
    /// See ``Takeover``.
    var restore: Bool?
    /// Whether the body does not mention purchases, not even an empty list of them.
    private var isEmpty: Bool
    /// The list with more than ``maximumTransactions`` items.
    private var tooLong: CodingKeys?

    /// A device reports what its customer bought in a lifetime. No customer has more transactions than this.
    static let maximumTransactions = 500

    enum CodingKeys: String, CodingKey, CaseIterable {
        case signedTransactions = "signed_transactions"
        case signedRenewals = "signed_renewals"
        case appTransaction = "app_transaction"
        case receipt, restore
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let transactions = try Self.texts(in: container, .signedTransactions)
        let renewals = try Self.texts(in: container, .signedRenewals) ?? []
        // Remove duplicates, so that each text is verified once.
        report.signedTransactions = Self.items(transactions ?? [], .signedTransactions)
        report.signedRenewals = Self.items(renewals, .signedRenewals)
        tooLong =
            transactions?.count ?? 0 > Self.maximumTransactions
            ? .signedTransactions : renewals.count > Self.maximumTransactions ? .signedRenewals : nil
        report.appTransaction = try container.decodeIfPresent(String.self, forKey: .appTransaction)
        report.receipt = try container.decodeIfPresent(String.self, forKey: .receipt)
        restore = try container.decodeIfPresent(Bool.self, forKey: .restore)
        isEmpty =
            transactions == nil && report.signedRenewals.isEmpty
            && report.appTransaction == nil && report.receipt == nil
    }

    /// Returns the texts of a list, at most one more than allowed: a request can contain a million. Nil without the list.
    private static func texts(
        in container: KeyedDecodingContainer<CodingKeys>, _ key: CodingKeys
    ) throws -> [String]? {
        guard container.contains(key), try !container.decodeNil(forKey: key) else { return nil }
        var list = try container.nestedUnkeyedContainer(forKey: key)
        var texts: [String] = []
        while !list.isAtEnd, texts.count <= maximumTransactions { texts.append(try list.decode(String.self)) }
        return texts
    }

    private static func items(_ texts: [String], _ key: CodingKeys) -> [PurchaseReport.Item] {
        var seen: Set<ExactText> = []
        return texts.enumerated().compactMap { index, text in
            guard seen.insert(ExactText(text)).inserted else { return nil }
            return PurchaseReport.Item(text: text, parameter: "\(key.rawValue)[\(index)]")
        }
    }

    /// Decodes the body of a request.
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
                "empty_report",
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
