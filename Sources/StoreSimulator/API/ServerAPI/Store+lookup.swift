internal import AppStoreModels
internal import Foundation

// Single transactions: looked at, finished, tied to an account.

extension Store {
    func transactionInfo(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIAnswer {
        let id = try request.identifier("transactionId", or: .invalidTransactionId)
        // What is asked most: one lookup, one copy of the payload and of nothing else.
        guard var payload = transactions[id]?.payload else { throw unknownPurchase(id) }
        payload.signedDate = signature(at: now)
        return APIAnswer(body: .object([("signedTransactionInfo", .transaction(payload))]))
    }

    func appTransactionInfo(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIAnswer {
        let transaction = serverAppTransaction(of: try account(request), at: now)
        return APIAnswer(body: .object([("signedAppTransactionInfo", .appTransaction(transaction))]))
    }

    func orderLookup(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIAnswer {
        let order = request.path["orderId"] ?? ""
        guard (1...64).contains(order.utf8.count), order.utf8.allSatisfy(\.isLetterOrDigit) else {
            throw APIFailure(.generalBadRequest, "An order identifier has 1 to 64 letters and digits.")
        }
        guard let id = transactionsByOrder[order] else {
            return APIAnswer(body: .object([("status", .integer(Int64(OrderLookupStatus.invalid.rawValue)))]))
        }
        return APIAnswer(
            body: .object([
                ("status", .integer(Int64(OrderLookupStatus.valid.rawValue))),
                ("signedTransactions", signable([id], at: now)),
            ]))
    }

    /// Finishing twice is the same as once: what Apple does is not documented.
    mutating func finishTransaction(_ request: APIRequest) throws(APIFailure) -> APIAnswer {
        let transaction = try purchase(request)
        // Not a change that the history knows: only its first version leaves finished consumables out.
        transactions[transaction.payload.transactionId]?.isFinished = true
        return APIAnswer()
    }

    mutating func setAppAccountToken(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIAnswer {
        let id = try request.identifier("originalTransactionId", or: .invalidTransactionId)
        let token = try RequestBody(Array(request.body)).uuid("appAccountToken", or: .invalidAppAccountTokenUUID)
        let transaction = try purchase(request, "originalTransactionId", notFound: .originalTransactionIdNotFound)
        try refuseShared(transaction)
        guard transaction.payload.originalTransactionId == id else {
            throw APIFailure(
                .transactionIdIsNotOriginalTransactionId, "This needs the first transaction of the subscription.")
        }
        setAccountToken(token, of: id, at: now)
        moveSignature(at: now)
        return APIAnswer()
    }

    /// Refuses what the customer has without having bought it.
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

extension UInt8 {
    var isLetterOrDigit: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
