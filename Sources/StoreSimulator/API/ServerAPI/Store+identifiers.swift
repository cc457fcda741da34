internal import AppStoreModels
internal import Foundation

// What the paths of the App Store Server API name: transactions and whose they are.

extension APIRequest {
    /// An identifier in the path: 1 to 20 digits, or `code`.
    func identifier(_ parameter: String, or code: APIErrorCode) throws(APIFailure) -> String {
        try Self.check(path[parameter] ?? "", parameter, or: code)
    }

    static func check(_ id: String, _ name: String, or code: APIErrorCode) throws(APIFailure) -> String {
        guard id.isIdentifier else { throw APIFailure(code, "\(name) is not an identifier: it has 1 to 20 digits.") }
        return id
    }
}

extension String {
    /// Whether it could be an identifier of the App Store's.
    var isIdentifier: Bool { (1...20).contains(utf8.count) && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}

extension Store {
    /// The transaction in the path where no app transaction will do.
    func purchase(
        _ request: APIRequest, _ parameter: String = "transactionId", notFound: APIErrorCode = .transactionIdNotFound
    ) throws(APIFailure) -> StoredTransaction {
        let id = try request.identifier(parameter, or: .invalidTransactionId)
        guard let transaction = transactions[id] else { throw unknownPurchase(id, notFound) }
        return transaction
    }

    /// Why there is no purchase of that identifier.
    func unknownPurchase(_ id: String, _ notFound: APIErrorCode = .transactionIdNotFound) -> APIFailure {
        guard customersByAppTransaction[id] == nil else {
            return APIFailure(
                .appTransactionIdNotSupported, "This needs the identifier of a purchase, not of an app transaction.")
        }
        return unknownTransaction(notFound)
    }

    /// The customer of any transaction in the path, also an app transaction.
    func account(_ request: APIRequest) throws(APIFailure) -> Customer {
        try account(request.identifier("anyTransactionId", or: .invalidTransactionId))
    }

    /// The customer of any transaction.
    func account(_ id: String) throws(APIFailure) -> Customer {
        let name = transactions[id]?.customer ?? customersByAppTransaction[id]
        guard let name, let customer = customers[name] else { throw unknownTransaction(.transactionIdNotFound) }
        return customer
    }

    /// The original transaction in the path of the endpoints that know only those: any other is as good as none.
    func original(_ request: APIRequest) throws(APIFailure) -> StoredTransaction {
        let id = try request.identifier("originalTransactionId", or: .invalidOriginalTransactionId)
        guard let transaction = transactions[id], transaction.payload.originalTransactionId == id else {
            throw unknownTransaction(.originalTransactionIdNotFound)
        }
        return transaction
    }

    private func unknownTransaction(_ code: APIErrorCode) -> APIFailure {
        APIFailure(code, "There is no such transaction of this app in \(environment.rawValue).")
    }
}
