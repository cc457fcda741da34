package import Ledger
internal import AppStoreModels
internal import AppStoreReceipts
internal import AppStoreServer
package import AppStoreTrust
internal import Foundation

/// Brings in customers from elsewhere: by a transaction or a receipt of each, everything that they bought.
package struct Importer: Sendable {
    /// What became of a line.
    package enum Outcome: Sendable, Hashable {
        /// So many facts were news. Nil for a receipt without purchases: nothing was asked.
        case imported(news: Int, History?)
        /// The App Store did not tell all of it: it is asked again later.
        case putAside(news: Int, code: String, message: String)
        /// It can never be brought in.
        case failed(code: String, message: String)
    }

    /// A history that was read to its end.
    package struct History: Sendable, Codable, Hashable {
        package var bundleID: String
        package var environment: String
        /// What the App Store was asked with.
        package var transactionID: String
    }

    private let histories: AccountHistories
    private let validator: ReceiptValidator
    /// Where a transaction is looked for, in order.
    let scopes: [Scope]

    /// - Parameter scopes: Where a transaction whose environment is not known is looked for, in order.
    package init(_ histories: AccountHistories, anchors: TrustAnchors, clock: ServerClock, scopes: [Scope]) {
        self.histories = histories
        validator = ReceiptValidator(
            anchors: anchors, bundleIDs: Set(scopes.map(\.bundleID)), validAt: .signingDate, now: clock.now)
        self.scopes = scopes
    }

    /// Brings in one customer.
    ///
    /// - Parameter line: An original transaction identifier, or a receipt in base64.
    /// - Throws: What keeps others from being brought in as well: the App Store or the ledger cannot be reached.
    package func bring(_ line: String) async throws -> Outcome {
        if line.utf8.count <= 64, line.utf8.allSatisfy({ (48...57).contains($0) }) {
            return try await fetch(line, in: scopes)
        }
        do {
            let receipt = try validator.validate(base64: line).payload
            let environment = receipt.environment?.rawValue
            let scopes = scopes.filter { scope in
                scope.bundleID.isExactly(receipt.bundleID)
                    && environment.map { $0 == scope.environment.rawValue } ?? true
            }
            guard let transaction = Self.transaction(of: receipt) else { return .imported(news: 0, nil) }
            return try await fetch(transaction, in: scopes)
        } catch let refusal as VerificationError {
            return .failed(code: "\(refusal.code)", message: refusal.message)
        }
    }

    /// Whether the ledger knows that a history was read: a ledger that was restored or begun anew since does not.
    func knows(_ history: History) async throws -> Bool {
        for scope in scopes where scope.bundleID.isExactly(history.bundleID) {
            guard scope.environment.rawValue == history.environment else { continue }
            return try await histories.hasRead(history.transactionID, in: scope)
        }
        return false
    }

    /// Any transaction leads to all of the customer's.
    private static func transaction(of receipt: Receipt) -> String? {
        switch receipt {
        case .app(let receipt): receipt.purchases.last.map { $0.originalTransactionID ?? $0.transactionID }
        case .transaction(let receipt): receipt.originalTransactionID ?? receipt.transactionID
        }
    }

    private func fetch(_ transaction: String, in scopes: [Scope]) async throws -> Outcome {
        var last = Outcome.failed(
            code: "unknown_environment", message: "no app and environment with an API key fits it")
        var waiting: (scope: Scope, failure: AppStoreServerError)?
        for scope in scopes {
            do {
                let reading = try await histories.read(transaction, in: scope, origin: .imported)
                guard let item = reading.unverified.first else {
                    let history = History(
                        bundleID: scope.bundleID, environment: scope.environment.rawValue, transactionID: transaction)
                    return .imported(news: reading.news, history)
                }
                return .putAside(news: reading.news, code: item.code, message: item.message)
            } catch let failure as AppStoreServerError {
                guard failure.isFinal || failure.mayBeAboutOne else { throw failure }
                if !failure.isFinal { waiting = waiting ?? (scope, failure) }
                last = .failed(code: failure.name, message: failure.apiMessage ?? failure.message)
            } catch let error as StorageError where error.code == .damaged {
                // A record of this customer cannot be read: all others can be brought in.
                try await histories.putAside(transaction, in: scope, code: error.code.rawValue)
                return .putAside(news: 0, code: error.code.rawValue, message: error.message)
            }
        }
        guard let (scope, failure) = waiting else { return last }
        try await histories.putAside(transaction, in: scope, code: failure.name)
        return .putAside(news: 0, code: failure.name, message: failure.apiMessage ?? failure.message)
    }
}
