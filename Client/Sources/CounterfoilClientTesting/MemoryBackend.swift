public import CounterfoilClient
import Foundation

/// A backend in memory that does not verify transactions, for previews and for tests of an app.
public actor MemoryBackend: Backend {
    /// The received reports with their customers.
    public private(set) var reports: [(customer: String, report: PurchaseReport)] = []
    /// The number of requests for a customer.
    public private(set) var fetches = 0
    /// The owner of each stored transaction.
    public private(set) var owners: [UInt64: String] = [:]
    private var transactions: [UInt64: DeviceTransaction] = [:]
    private let products: [ProductEntitlements]
    private let scheduler: any ClientScheduler

    /// - Parameters:
    ///   - products: The entitlements of each product.
    ///   - scheduler: The clock.
    public init(_ products: [ProductEntitlements] = [], scheduler: any ClientScheduler) {
        self.products = products
        self.scheduler = scheduler
    }

    /// Stores transactions that belong to nobody else. Moves transactions of other customers only if `restore` is true,
    /// and otherwise refuses them. Refuses the whole report with status 409 if it has no other transactions, unless
    /// `restore` is false.
    public func report(
        _ report: PurchaseReport, for customer: CustomerCredential
    ) async throws(BackendFailure) -> CustomerResponse {
        reports.append((customer.customer, report))
        let name = Self.name(of: customer)
        var kept: [String] = []
        var refused: [RefusedItem] = []
        for (index, text) in report.signedTransactions.enumerated() {
            let param = "signed_transactions[\(index)]"
            guard let transaction = DeviceTransaction(jws: text, isVerified: false) else {
                refused.append(RefusedItem(id: nil, code: "malformed_compact_form", param: param))
                continue
            }
            // Another device may report an older version later.
            if transactions[transaction.id].map({ $0.signedDate <= transaction.signedDate }) ?? true {
                transactions[transaction.id] = transaction
            }
            let token = transaction.appAccountToken?.uuidString.lowercased()
            let owner = report.restore == true ? nil : owners[transaction.id] ?? token
            owners[transaction.id] = owner ?? name
            if let owner, owner != name {
                let refusal = RefusedItem(id: String(transaction.id), code: "receipt_already_in_use", param: param)
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
        var answer = await answer(name)
        (answer.kept, answer.refused) = (kept, refused)
        return answer
    }

    /// Returns the customer's state.
    public func customer(
        _ customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerResponse {
        fetches += 1
        return await answer(Self.name(of: customer))
    }

    /// Moves all transactions of the anonymous customer to the other one.
    public func merge(
        _ anonymous: CustomerCredential, into customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerResponse {
        let (old, new) = (Self.name(of: anonymous), Self.name(of: customer))
        for (id, owner) in owners where owner == old { owners[id] = new }
        return await answer(new)
    }

    /// Returns a token without verifying the app transaction.
    public func session(
        for customer: String, appTransaction: String
    ) async throws(BackendFailure) -> CustomerCredential {
        CustomerCredential(customer: customer, token: "session")
    }

    /// Returns a customer's identifier as a server writes it: a UUID in lower case.
    private static func name(of customer: CustomerCredential) -> String {
        UUID(uuidString: customer.customer)?.uuidString.lowercased() ?? customer.customer
    }

    private func answer(_ customer: String) async -> CustomerResponse {
        let now = await scheduler.now()
        var answer = CustomerResponse(id: customer, asOf: now)
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

/// A backend whose requests fail as a test specifies.
public actor FlakyBackend: Backend {
    /// The fault of one request.
    public enum Fault: Sendable {
        /// No fault.
        case none
        /// The request fails before it reaches the server.
        case failure(BackendFailure)
        /// The server processes the request, but its response is lost.
        case lostResponse
        /// The server does not respond until the request is cancelled.
        case hang
        /// The server sends this response to any request.
        case response(CustomerResponse)
    }

    /// The number of requests.
    public private(set) var requests = 0
    private let backend: any Backend
    private var faults: [Fault] = []

    /// Makes a backend that forwards requests to another one.
    public init(_ backend: any Backend) { self.backend = backend }

    /// Adds faults for the next requests, one for each.
    public func enqueueFaults(_ faults: [Fault]) { self.faults += faults }

    /// Reports transactions, subject to the next fault.
    public func report(
        _ report: PurchaseReport, for customer: CustomerCredential
    ) async throws(BackendFailure) -> CustomerResponse {
        try await forward { backend throws(BackendFailure) in try await backend.report(report, for: customer) }
    }

    /// Requests the customer's state, subject to the next fault.
    public func customer(
        _ customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerResponse {
        try await forward { backend throws(BackendFailure) in
            try await backend.customer(customer, environment: environment)
        }
    }

    /// Merges customers, subject to the next fault.
    public func merge(
        _ anonymous: CustomerCredential, into customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerResponse {
        try await forward { backend throws(BackendFailure) in
            try await backend.merge(anonymous, into: customer, environment: environment)
        }
    }

    /// Requests a session. Faults do not apply.
    public func session(
        for customer: String, appTransaction: String
    ) async throws(BackendFailure) -> CustomerCredential {
        try await backend.session(for: customer, appTransaction: appTransaction)
    }

    private func forward(
        _ request: (any Backend) async throws(BackendFailure) -> CustomerResponse
    ) async throws(BackendFailure) -> CustomerResponse {
        requests += 1
        switch faults.isEmpty ? .none : faults.removeFirst() {
        case .none: return try await request(backend)
        case .failure(let failure): throw failure
        case .lostResponse:
            _ = try await request(backend)
            throw .noConnection
        case .hang:
            // Sleep longer than any test. The request's cancellation ends the sleep.
            do { try await Task.sleep(nanoseconds: 3_600_000_000_000) } catch { throw .timeout }
            throw .timeout
        case .response(let response): return response
        }
    }
}
