public import CounterfoilClient
import Foundation

/// A server in memory that believes every transaction: for previews, and for tests of an app.
public actor MemoryBackend: Backend {
    /// What was reported, by whom.
    public private(set) var reports: [(customer: String, report: PurchaseReport)] = []
    /// How often a customer was asked for.
    public private(set) var fetches = 0
    /// The transactions that are kept, and whose they are.
    public private(set) var owners: [UInt64: String] = [:]
    private var transactions: [UInt64: DeviceTransaction] = [:]
    private let products: [ProductEntitlements]
    private let scheduler: any ClientScheduler

    /// - Parameter products: What each product gives.
    public init(_ products: [ProductEntitlements] = [], scheduler: any ClientScheduler) {
        self.products = products
        self.scheduler = scheduler
    }

    /// Keeps what nobody else has, and moves the rest only by the button. What is another's is refused, and the report
    /// with it if nothing else was in it, unless it asked to take nothing.
    public func report(
        _ report: PurchaseReport, for customer: CustomerCredential
    ) async throws(BackendFailure) -> CustomerAnswer {
        reports.append((customer.customer, report))
        var kept: [String] = []
        var refused: [Refusal] = []
        for (index, text) in report.signedTransactions.enumerated() {
            let param = "signed_transactions[\(index)]"
            guard let transaction = DeviceTransaction(jws: text, isVerified: false) else {
                refused.append(Refusal(id: nil, code: "malformed_compact_form", param: param))
                continue
            }
            transactions[transaction.id] = transaction
            let token = transaction.appAccountToken?.uuidString.lowercased()
            let owner = report.restore == true ? nil : owners[transaction.id] ?? token
            owners[transaction.id] = owner ?? customer.customer
            if let owner, owner != customer.customer {
                let refusal = Refusal(id: String(transaction.id), code: "receipt_already_in_use", param: param)
                refused.append(refusal)
            } else {
                kept.append(String(transaction.id))
            }
        }
        if kept.isEmpty, let first = refused.first {
            if refused.allSatisfy({ $0.id == nil }) {
                throw BackendFailure(status: 400, code: first.code, parameter: first.param)
            }
            if report.restore != false, refused.allSatisfy({ $0.id != nil }) {
                throw BackendFailure(status: 409, code: first.code, parameter: first.param)
            }
        }
        var answer = await answer(customer.customer)
        (answer.kept, answer.refused) = (kept, refused)
        return answer
    }

    /// Says what the customer has.
    public func customer(
        _ customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerAnswer {
        fetches += 1
        return await answer(customer.customer)
    }

    /// Gives everything of one to the other.
    public func merge(
        _ anonymous: CustomerCredential, into customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerAnswer {
        for (id, owner) in owners where owner == anonymous.customer { owners[id] = customer.customer }
        return await answer(customer.customer)
    }

    /// Believes everybody.
    public func session(
        for customer: String, appTransaction: String
    ) async throws(BackendFailure) -> CustomerCredential {
        CustomerCredential(customer: customer, token: "session")
    }

    private func answer(_ customer: String) async -> CustomerAnswer {
        let now = await scheduler.now()
        var answer = CustomerAnswer(id: customer, asOf: now)
        answer.productEntitlements = products
        for (id, transaction) in transactions.sorted(by: { $0.key < $1.key }) where owners[id] == customer {
            for key in products.first(where: { $0.productID == transaction.productID })?.entitlements ?? [] {
                let isOver = transaction.expirationDate.map { $0 <= now } ?? false
                var entitlement = Entitlement(
                    key: key, isActive: !isOver && transaction.revocationDate == nil,
                    until: transaction.expirationDate, productID: transaction.productID)
                entitlement.originalTransactionID = String(transaction.originalID)
                answer.entitlements.removeAll { $0.key == key && !($0.isActive && !entitlement.isActive) }
                if !answer.entitlements.contains(where: { $0.key == key }) { answer.entitlements.append(entitlement) }
            }
        }
        return answer
    }
}

/// A server that fails as a test says.
public actor FlakyBackend: Backend {
    /// What goes wrong with one request.
    public enum Fault: Sendable {
        /// Nothing.
        case none
        /// The server does not see the request.
        case failure(BackendFailure)
        /// The server does what it was asked to, and the answer is lost.
        case lostAnswer
        /// Nobody answers until the request is cancelled.
        case hang
        /// The answer is this one, whatever was asked.
        case answer(CustomerAnswer)
    }

    /// How many requests there were.
    public private(set) var requests = 0
    private let backend: any Backend
    private var faults: [Fault] = []

    /// Makes a server in front of another.
    public init(_ backend: any Backend) { self.backend = backend }

    /// What goes wrong with the next requests, one each.
    public func fail(_ faults: [Fault]) { self.faults += faults }

    /// Reports, if nothing goes wrong.
    public func report(
        _ report: PurchaseReport, for customer: CustomerCredential
    ) async throws(BackendFailure) -> CustomerAnswer {
        try await ask { backend throws(BackendFailure) in try await backend.report(report, for: customer) }
    }

    /// Asks, if nothing goes wrong.
    public func customer(
        _ customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerAnswer {
        try await ask { backend throws(BackendFailure) in
            try await backend.customer(customer, environment: environment)
        }
    }

    /// Merges, if nothing goes wrong.
    public func merge(
        _ anonymous: CustomerCredential, into customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerAnswer {
        try await ask { backend throws(BackendFailure) in
            try await backend.merge(anonymous, into: customer, environment: environment)
        }
    }

    /// Never fails.
    public func session(
        for customer: String, appTransaction: String
    ) async throws(BackendFailure) -> CustomerCredential {
        try await backend.session(for: customer, appTransaction: appTransaction)
    }

    private func ask(
        _ question: (any Backend) async throws(BackendFailure) -> CustomerAnswer
    ) async throws(BackendFailure) -> CustomerAnswer {
        requests += 1
        switch faults.isEmpty ? .none : faults.removeFirst() {
        case .none: return try await question(backend)
        case .failure(let failure): throw failure
        case .lostAnswer:
            _ = try await question(backend)
            throw .noConnection
        case .hang:
            // Longer than any test; it ends when it is cancelled.
            do { try await Task.sleep(nanoseconds: 3_600_000_000_000) } catch { throw .timeout }
            throw .timeout
        case .answer(let answer): return answer
        }
    }
}
