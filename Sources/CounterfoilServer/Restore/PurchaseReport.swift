internal import AppStoreModels
internal import AppStoreServer
internal import Foundation
internal import HTTPTypes

/// What an app sends about its customer's purchases.
struct PurchaseReport: JSONRequestBody {
    /// What the device has: `Transaction.all`, `Transaction.currentEntitlements` or the one just bought, as JWS.
    var signedTransactions: [Item] = []
    /// `Product.SubscriptionInfo.Status.renewalInfo` of its subscriptions, as JWS.
    var signedRenewals: [Item] = []
    /// `AppTransaction.shared`, as JWS.
    var appTransaction: String?
    /// The app receipt, or an old transaction receipt, in base64.
    var receipt: String?
    /// See ``Takeover``.
    var restore: Bool?
    /// Whether it says nothing of what was bought, not even that it is nothing.
    private var isEmpty: Bool
    /// A list that has more than ``maximumTransactions``.
    private var tooLong: CodingKeys?

    /// One text of a list.
    struct Item: Sendable, Hashable {
        var text: String
        /// Where it is, such as `signed_transactions[3]`.
        var parameter: String
    }

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
        signedTransactions = Self.items(transactions, .signedTransactions)
        signedRenewals = Self.items(renewals, .signedRenewals)
        tooLong =
            transactions.count > Self.maximumTransactions
            ? .signedTransactions : renewals.count > Self.maximumTransactions ? .signedRenewals : nil
        appTransaction = try container.decodeIfPresent(String.self, forKey: .appTransaction)
        receipt = try container.decodeIfPresent(String.self, forKey: .receipt)
        restore = try container.decodeIfPresent(Bool.self, forKey: .restore)
        isEmpty =
            !container.contains(.signedTransactions) && signedRenewals.isEmpty && appTransaction == nil
            && receipt == nil
    }

    /// A report of an app transaction alone.
    init(appTransaction: String) {
        self.appTransaction = appTransaction
        isEmpty = false
    }

    private static func items(_ texts: [String], _ key: CodingKeys) -> [Item] {
        var seen: Set<ExactText> = []
        return texts.enumerated().compactMap { index, text in
            guard seen.insert(ExactText(text)).inserted else { return nil }
            return Item(text: text, parameter: "\(key.rawValue)[\(index)]")
        }
    }

    /// Reads the body of a request.
    init(body: [UInt8]) throws(APIFailure) {
        try self.init(
            body: body,
            form:
                """
                a JSON object with signed_transactions, signed_renewals, app_transaction, receipt and restore, as far as \
                they are there
                """
        )
        guard !isEmpty else {
            throw APIFailure(
                .badRequest, "empty_report",
                """
                Send signed_transactions, signed_renewals, app_transaction or receipt; an empty list of transactions says \
                that nothing was bought.
                """,
                parameter: "signed_transactions")
        }
        if let tooLong {
            throw APIFailure(
                .badRequest, "too_many_transactions",
                "A request has at most \(Self.maximumTransactions) transactions; send the others with the next.",
                parameter: tooLong.rawValue)
        }
    }
}

/// What is taken from another customer, under the app's restore policy.
enum Takeover {
    /// The customer asked for it: all that the Apple account has.
    case everything
    /// What the app sent, unless the App Store signed it for another account by its account token. What the App Store adds
    /// to it only if it is nobody's.
    case whatWasSent
    /// Nothing: what is another's stays there, and the answer names it.
    case nothing

    init(restore: Bool?) {
        switch restore {
        case true?: self = .everything
        case nil: self = .whatWasSent
        case false?: self = .nothing
        }
    }
}
