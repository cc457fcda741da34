internal import AppStoreModels
internal import Basics

// Resolves the identifiers in paths of the App Store Server API to transactions and customers.

extension APIRequest {
    /// Returns an identifier in the path. Throws `code` unless it has 1 to 20 digits.
    func identifier(_ parameter: String, or code: APIErrorCode) throws(APIFailure) -> String {
        try Self.check(path[parameter] ?? "", parameter, or: code)
    }

    static func check(_ id: String, _ name: String, or code: APIErrorCode) throws(APIFailure) -> String {
        guard id.isIdentifier else { throw APIFailure(code, "\(name) is not an identifier: it has 1 to 20 digits.") }
        return id
    }
}

extension String {
    /// Whether the string has the form of a transaction identifier: 1 to 20 digits.
    var isIdentifier: Bool { isDigits(upTo: 20) }
}

extension Store {
    /// Returns the transaction in the path. Throws for app transactions.
    func purchase(
        _ request: APIRequest, _ parameter: String = "transactionId", notFound: APIErrorCode = .transactionIdNotFound
    ) throws(APIFailure) -> StoredTransaction {
        let id = try request.identifier(parameter, or: .invalidTransactionId)
        guard let transaction = transactions[id] else { throw unknownPurchase(id, notFound) }
        return transaction
    }

    /// Returns the error for an identifier that does not belong to a purchase.
    func unknownPurchase(_ id: String, _ notFound: APIErrorCode = .transactionIdNotFound) -> APIFailure {
        guard customersByAppTransaction[id] == nil else {
            return APIFailure(
                .appTransactionIdNotSupported,
                "The endpoint needs the identifier of a purchase, not of an app transaction.")
        }
        return unknownTransaction(notFound)
    }

    /// Returns the customer of the transaction or app transaction in the path.
    func account(_ request: APIRequest) throws(APIFailure) -> Customer {
        try account(request.identifier("anyTransactionId", or: .invalidTransactionId))
    }

    /// Returns the customer of a transaction or app transaction.
    func account(_ id: String) throws(APIFailure) -> Customer {
        let name = transactions[id]?.customer ?? customersByAppTransaction[id]
        guard let name, let customer = customers[name] else { throw unknownTransaction(.transactionIdNotFound) }
        return customer
    }

    /// Returns the original transaction in the path. Other transactions count as not found.
    func original(_ request: APIRequest) throws(APIFailure) -> StoredTransaction {
        let id = try request.identifier("originalTransactionId", or: .invalidOriginalTransactionId)
        guard let transaction = transactions[id], transaction.payload.originalTransactionId == id else {
            throw unknownTransaction(.originalTransactionIdNotFound)
        }
        return transaction
    }

    /// Returns the error for an identifier that no transaction of the app has.
    func unknownTransaction(_ code: APIErrorCode) -> APIFailure {
        APIFailure(code, "There is no such transaction of this app in \(environment.rawValue).")
    }
}
