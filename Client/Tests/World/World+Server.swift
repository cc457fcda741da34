import CounterfoilClient
import Foundation

/// A server that decides according to the specification, and fails in every way.
extension World {
    mutating func answerRequest() {
        guard let id = requests.keys.sorted().randomElement(using: &random), let request = requests[id] else { return }
        requests[id] = nil
        guard isQuiet || chance(65) else { return fail(id, request) }
        let answer: CustomerResponse
        switch perform(request) {
        case .success(let performed): answer = performed
        case .failure(let failure): return send(.failed(request: id, failure))
        }
        if !isQuiet, chance(10) { return send(.failed(request: id, .noConnection)) }
        if !isQuiet, chance(3) {
            var foreign = answer
            if chance(50) { foreign.id = bert + "x" } else { foreign.environment = "Xcode" }
            foreign.entitlements.append(Entitlement(key: "forged", isActive: true))
            return send(.answered(request: id, foreign))
        }
        answers[answer.id, default: []].append(answer)
        send(.answered(request: id, answer))
    }

    private mutating func fail(_ id: Int, _ request: ClientRequest) {
        let failures: [BackendFailure] = [
            .noConnection, .timeout, .invalidResponse, BackendFailure(status: 500, code: "internal"),
            BackendFailure(status: 429, code: "rate_limited", retryAfter: 3),
            BackendFailure(status: 503, code: "unavailable", retryAfter: 120),
            BackendFailure(status: 502, code: "http_502"), BackendFailure(status: 302, code: "http_302"),
            BackendFailure(status: 429, code: "http_429"), .unverifiedResponse,
            BackendFailure(status: 401, code: "token_expired"), BackendFailure(status: 401, code: "unauthorized"),
            BackendFailure(status: 403, code: "forbidden"), BackendFailure(status: 404, code: "not_found"),
            BackendFailure(status: 413, code: "too_large"), BackendFailure(status: 409, code: "customer_erased"),
            BackendFailure(status: 400, code: "bad_signature", parameter: "app_transaction"),
        ]
        // The rarer failures halt the client until the next launch.
        let count = chance(15) ? failures.count : 10
        send(.failed(request: id, failures[Int.random(in: 0..<count, using: &random)]))
    }

    /// Decides about each transaction separately, or refuses all because of one, as older servers do.
    private mutating func perform(_ request: ClientRequest) -> Result<CustomerResponse, BackendFailure> {
        let customer = request.credential.customer
        var accepted: [String] = []
        var refused: [RefusedItem] = []
        let transactions = (request.report?.signedTransactions ?? []).compactMap { texts[$0] }
        if let index = transactions.firstIndex(where: { store[$0.id]?.isBad == true }), chance(50) {
            let parameter = "signed_transactions[\(index)]"
            return .failure(BackendFailure(status: 400, code: "bad_signature", parameter: parameter))
        }
        if case .merge(let anonymous, _) = request.kind { merge(anonymous, into: customer) }
        // The receipt comes after the signed transactions, because these take precedence.
        defer { keep(request.report?.receipt, for: customer, restore: request.report?.restore) }
        for transaction in transactions {
            let id = transaction.id
            if store[id]?.isBad == true {
                refused.append(RefusedItem(id: String(id), code: "bad_signature"))
                continue
            }
            if !isQuiet, chance(3) { continue }
            if !isQuiet, chance(2) {
                refused.append(RefusedItem(id: String(id), code: "revocation_unknown"))
                continue
            }
            kept.insert(id)
            claim(transaction, for: customer, restore: request.report?.restore)
            if owners[id] == customer {
                accepted.append(String(id))
            } else {
                refused.append(RefusedItem(id: String(id), code: "receipt_already_in_use"))
            }
        }
        if accepted.isEmpty, refused.count == transactions.count, let first = refused.first,
            refused.allSatisfy({ $0.code == first.code })
        {
            // All transactions are invalid, or all belong to another customer.
            if first.code == "bad_signature" {
                return .failure(BackendFailure(status: 400, code: first.code, parameter: "signed_transactions[0]"))
            }
            if first.code == "receipt_already_in_use", request.report?.restore != false {
                return .failure(BackendFailure(status: 409, code: first.code))
            }
        }
        var answer = answer(for: customer, in: request.environment ?? "Production")
        (answer.kept, answer.refused) = (accepted, refused)
        return .success(answer)
    }

    /// Keeps the transactions of a receipt. It does not name the signed account, so an unknown one belongs to the
    /// sender.
    private mutating func keep(_ receipt: Data?, for customer: String, restore: Bool?) {
        for id in (receipt.map { String(decoding: $0, as: UTF8.self) } ?? "").split(separator: ",").compactMap({
            UInt64($0)
        }) {
            guard var transaction = store[id]?.transaction else { continue }
            if !kept.contains(id) { transaction.appAccountToken = nil }
            kept.insert(id)
            claim(transaction, for: customer, restore: restore)
        }
    }

    private mutating func claim(_ transaction: DeviceTransaction, for customer: String, restore: Bool?) {
        let id = transaction.id
        let signedFor = transaction.appAccountToken?.uuidString.lowercased()
        if restore == true {
            owners[id] = customer
            if signedFor == nil, let buyer = store[id]?.buyer, buyer != customer { moved.insert(id) }
        } else if owners[id] == nil {
            owners[id] = signedFor ?? customer
            // A transaction that the device cannot verify arrives in a receipt only, which names no account.
            if let buyer = store[id]?.buyer, signedFor == nil, !mayForgetBuyers, transaction.isVerified {
                // An account may get at once what the merge of its anonymous customer would give it later.
                let isRight = owners[id] == buyer || owners[id] == accounts[buyer]
                expect(isRight, "\(id) was bought by \(buyer) and went to \(customer)")
            }
        }
    }

    private func answer(for customer: String, in environment: String) -> CustomerResponse {
        var answer = CustomerResponse(id: customer, environment: environment, asOf: time)
        answer.productEntitlements = rules.productEntitlements
        for (id, owner) in owners.sorted(by: { $0.key < $1.key }) where owner == customer {
            guard let transaction = store[id]?.transaction,
                let keys = rules.productEntitlements.first(where: { $0.productID == transaction.productID })
            else { continue }
            for key in keys.entitlements where !answer.entitlements.contains(where: { $0.key == key && $0.isActive }) {
                answer.entitlements.removeAll { $0.key == key }
                let isOver = transaction.expirationDate.map { $0 <= time } ?? false
                var entitlement = Entitlement(
                    key: key, isActive: !isOver && transaction.revocationDate == nil,
                    until: transaction.expirationDate, productID: transaction.productID)
                entitlement.originalTransactionID = String(id)
                answer.entitlements.append(entitlement)
            }
        }
        return answer
    }

    // MARK: Final check

    /// Stops failing and opens the app for every customer: then every paid transaction must be kept and finished.
    mutating func recoverAndCheck() {
        isQuiet = true
        skew = 0
        for customer in Self.customers {
            pass(26 * hour)
            launch()
            send(.signedIn(customer: customer, token: nil))
            drain()
        }
        for (id, paid) in store.sorted(by: { $0.key < $1.key }) where paid.transaction.isVerified && !paid.isBad {
            // The client cannot know who bought it before the clock was wrong by years, or before the app was deleted.
            if mayForgetBuyers, paid.transaction.appAccountToken == nil { continue }
            expect(kept.contains(id), "\(id) \(paid.transaction.productID) was never kept")
            // If the answer to a restore was lost, or the server refused a merge, a consumable waits for a restore.
            let isWithOther = owners[id].map { !Self.customers.contains($0) } ?? false
            let isStranded = (moved.contains(id) || isWithOther) && paid.transaction.kind == .consumable
            expect(
                !rules.finishes || paid.isFinished || isStranded,
                "\(id) \(paid.transaction.productID) was never finished")
        }
        expect(requests.isEmpty, "requests are still running")
        expect(accounts.isEmpty, "an anonymous customer was never merged")
        let answered = answers[customer ?? ""]?.last
        for entitlement in answered?.entitlements ?? [] {
            expect(
                machine.customer.isActive(entitlement.key) == entitlement.isActive,
                "the device shows another state than the server")
        }
    }

    private mutating func drain() {
        for _ in 0..<400 {
            if !gathers.isEmpty {
                answerDevice()
            } else if !tokens.isEmpty {
                answerToken()
            } else if !requests.isEmpty {
                answerRequest()
            } else if !deliveries.isEmpty {
                endDelivery()
            } else if !syncs.isEmpty {
                endSync()
            } else if let due = timers.values.min(), due <= time.addingTimeInterval(1800) {
                pass(max(0, due.timeIntervalSince(time)))
            } else {
                return
            }
        }
        violations.append("the client never becomes idle")
    }
}
