internal import AppStoreModels
internal import Basics
internal import Foundation

// Endpoints for single transactions: lookup, finishing, and setting the app account token.

extension Store {
    func transactionInfo(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let id = try request.identifier("transactionId", or: .invalidTransactionId)
        // The most frequent request: look up once and copy only the payload.
        guard var payload = transactions[id]?.payload else { throw unknownPurchase(id) }
        payload.signedDate = signingDate(at: now)
        return .object([("signedTransactionInfo", .transaction(payload))])
    }

    func appTransactionInfo(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let transaction = serverAppTransaction(of: try account(request), at: now)
        return .object([("signedAppTransactionInfo", .appTransaction(transaction))])
    }

    func orderLookup(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let order = request.path["orderId"] ?? ""
        guard (1...64).contains(order.utf8.count), order.utf8.allSatisfy(\.isASCIIAlphanumeric) else {
            throw APIFailure(.generalBadRequest, "An order identifier has 1 to 64 letters and digits.")
        }
        guard let id = transactionsByOrder[order] else {
            return .object([("status", .integer(Int64(OrderLookupStatus.invalid.rawValue)))])
        }
        return .object([
            ("status", .integer(Int64(OrderLookupStatus.valid.rawValue))),
            ("signedTransactions", signable([id], at: now)),
        ])
    }

    /// Finishes a transaction. Finishing it again has no effect; Apple does not document this case.
    mutating func finishTransaction(_ request: APIRequest) throws(APIFailure) -> APIResponse {
        let transaction = try purchase(request)
        // The history does not treat this as a change. Only its version 1 omits finished consumables.
        transactions[transaction.payload.transactionId]?.isFinished = true
        return APIResponse()
    }

    mutating func setAppAccountToken(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let id = try request.identifier("originalTransactionId", or: .invalidTransactionId)
        let token = try request.fields().uuid("appAccountToken", or: .invalidAppAccountTokenUUID)
        let transaction = try purchase(request, "originalTransactionId", notFound: .originalTransactionIdNotFound)
        try requireOriginal(transaction, id)
        setAccountToken(token, of: id, at: now)
        advanceSigningDate(at: now)
        return APIResponse()
    }

    /// Throws for family-shared and assigned transactions, and if `id` is that of a later transaction.
    func requireOriginal(_ transaction: StoredTransaction, _ id: String) throws(APIFailure) {
        try refuseShared(transaction)
        guard transaction.payload.originalTransactionId == id else {
            throw APIFailure(
                .transactionIdIsNotOriginalTransactionId,
                "The endpoint needs the original transaction of the subscription.")
        }
    }

    /// Throws for family-shared and assigned transactions.
    func refuseShared(_ transaction: StoredTransaction) throws(APIFailure) {
        if transaction.payload.inAppOwnershipType == .familyShared {
            throw APIFailure(.familyTransactionNotSupported, "The transaction is shared by a family member.")
        }
        try refuseAssigned(transaction)
    }

    func refuseAssigned(_ transaction: StoredTransaction) throws(APIFailure) {
        if transaction.payload.inAppOwnershipType == .assigned {
            throw APIFailure(.invalidAssignedTransactionNotSupported, "The transaction is an assigned seat.")
        }
    }
}
