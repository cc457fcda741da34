internal import AppStoreModels
internal import AppStoreReceipts
internal import AppStoreServer
package import AppStoreTrust
internal import Basics
package import Ledger

/// Imports customers from other systems: from one transaction or receipt of each customer, all their purchases.
package struct Importer: Sendable {
    /// The outcome of importing one line.
    package enum Outcome: Sendable, Hashable {
        /// The import succeeded.
        case imported(newFacts: Int, History)
        /// The line is a receipt without purchases, so there is nothing to request.
        case withoutPurchases
        /// The history is incomplete. The server requests it again later.
        case deferred(newFacts: Int, code: String, message: String)
        /// The line can never be imported.
        case failed(code: String, message: String)
    }

    /// A history that was read completely.
    package struct History: Sendable, Codable, Hashable {
        package var bundleID, environment: String
        /// The transaction in the request to the App Store.
        package var transactionID: String
    }

    private static let unknownEnvironment = "unknown_environment"

    private let histories: AccountHistories
    private let validator: ReceiptValidator
    /// The scopes to search for a transaction, in order.
    let scopes: [AppEnvironment]

    /// - Parameter scopes: The scopes to search for a transaction whose environment is unknown, in order.
    package init(_ histories: AccountHistories, anchors: TrustAnchors, clock: ServerClock, scopes: [AppEnvironment]) {
        self.histories = histories
        validator = ReceiptValidator(
            anchors: anchors, bundleIDs: Set(scopes.map(\.bundleID)), validationTime: .signingDate, now: clock.now)
        self.scopes = scopes
    }

    /// Imports one customer.
    ///
    /// - Parameter line: An original transaction identifier, or a receipt in base64.
    /// - Throws: An error that would prevent all other imports too: the App Store or the ledger cannot be reached.
    func importCustomer(_ line: String) async throws -> Outcome {
        if line.isDigits(upTo: 64) { return try await fetch(line, in: scopes) }
        do {
            let receipt = try receipt(line)
            let environment = receipt.environment?.rawValue
            let scopes = scopes.filter { appEnvironment in
                appEnvironment.bundleID.isExactly(receipt.bundleID)
                    && environment.map { $0 == appEnvironment.environment.rawValue } ?? true
            }
            guard !scopes.isEmpty else {
                let source = receipt.bundleID + (environment.map { " in \($0)" } ?? "")
                return .failed(
                    code: Self.unknownEnvironment,
                    message: "the receipt is of \(source): the import has no such app and environment with an API key")
            }
            guard let transaction = Self.transaction(of: receipt) else { return .withoutPurchases }
            return try await fetch(transaction, in: scopes)
        } catch let refusal as VerificationError {
            let message =
                refusal.code == .badBase64URL
                ? "neither a transaction ID nor a receipt in base64; a line has no header, quotation marks or columns"
                : refusal.message
            return .failed(code: "\(refusal.code)", message: message)
        }
    }

    /// Reads a receipt. A transaction receipt does not contain the certificate of its issuer, so it cannot be verified.
    /// It only determines which history to request; the App Store signs what is stored.
    private func receipt(_ text: String) throws(VerificationError) -> Receipt {
        do throws(VerificationError) {
            return try validator.validate(base64: text).payload
        } catch {
            guard error.code == .chainLength else { throw error }
            let content = try UnverifiedReceipt(base64: text).content
            guard case .transaction = content else { throw error }
            return content
        }
    }

    /// Whether the ledger records that a history was read. False if the ledger was restored or created since.
    func contains(_ history: History) async throws -> Bool {
        for appEnvironment in scopes where appEnvironment.bundleID.isExactly(history.bundleID) {
            guard appEnvironment.environment.rawValue == history.environment else { continue }
            return try await histories.hasRead(history.transactionID, in: appEnvironment)
        }
        return false
    }

    /// Returns one transaction of the receipt. The App Store returns the whole history for any of them.
    private static func transaction(of receipt: Receipt) -> String? {
        switch receipt {
        case .app(let receipt): receipt.purchases.last.map { $0.originalTransactionID ?? $0.transactionID }
        case .transaction(let receipt): receipt.originalTransactionID ?? receipt.transactionID
        }
    }

    private func fetch(_ transaction: String, in scopes: [AppEnvironment]) async throws -> Outcome {
        var last = Outcome.failed(
            code: Self.unknownEnvironment, message: "no configured app and environment with an API key matches")
        var waiting: (appEnvironment: AppEnvironment, failure: AppStoreServerError)?
        for appEnvironment in scopes {
            do {
                let reading = try await histories.read(transaction, in: appEnvironment, origin: .imported)
                guard let item = reading.unverified.first else {
                    let history = History(
                        bundleID: appEnvironment.bundleID, environment: appEnvironment.environment.rawValue,
                        transactionID: transaction)
                    return .imported(newFacts: reading.newFacts, history)
                }
                return .deferred(newFacts: reading.newFacts, code: item.code, message: item.message)
            } catch let failure as AppStoreServerError {
                guard failure.isFinal || failure.mayConcernOneRequest else { throw failure }
                if !failure.isFinal { waiting = waiting ?? (appEnvironment, failure) }
                last = .failed(code: failure.name, message: failure.apiMessage ?? failure.message)
            } catch let error as StorageError where error.code == .damaged {
                // Only a record of this customer is damaged; the other imports can continue.
                try await histories.scheduleRetry(of: transaction, in: appEnvironment, code: error.code.rawValue)
                return .deferred(newFacts: 0, code: error.code.rawValue, message: error.message)
            }
        }
        guard let (appEnvironment, failure) = waiting else { return last }
        try await histories.scheduleRetry(of: transaction, in: appEnvironment, code: failure.name)
        return .deferred(newFacts: 0, code: failure.name, message: failure.apiMessage ?? failure.message)
    }
}
