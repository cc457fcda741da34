import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger

/// Performs random changes of ownership in a world and compares the server's answers with ``OwnershipModel``.
struct OwnershipLaw {
    /// What is compared.
    enum Subject: CaseIterable { case owned, refused, claims, owners, unclaimed, events, timeline, explained }

    private static let products = [
        "com.example.premium.monthly", "com.example.premium.yearly", "com.example.news.weekly", "com.example.unlock",
        "com.example.coins.100", "com.example.season.pass",
    ]
    /// The simulator's customers. The first three buy with an account token.
    private static let buyers = ["anna", "ben", "carl", "dora", "emil"]
    private static let tokens = (0..<3).map { "00000000-0000-4000-8000-00000000000\($0)" }
    private static let customers = tokens + ["carl", "dora", "x", "y"]

    let world: World
    let environment: AppStoreEnvironment
    private var random: SeededGenerator
    private var model: OwnershipModel
    /// The owners of all purchases after each step, with the instant.
    private var history: [(instant: Milliseconds, owners: [String: Set<String>])] = []
    private var hasErased = false
    private var eventsPage: String?
    /// The differences as texts.
    private(set) var violations: [String] = []
    /// How many values were compared. Empty answers do not count.
    private(set) var compared: [Subject: Int] = [:]

    init(world: World, environment: AppStoreEnvironment, policy: RestorePolicy, seed: UInt64) {
        (self.world, self.environment) = (world, environment)
        random = SeededGenerator(seed: seed)
        model = OwnershipModel(policy: policy)
    }

    /// Performs the steps, the first ones mostly purchases.
    ///
    /// - Parameter erases: Whether customers are erased. The past has no owner then, so the timelines are not compared.
    mutating func run(steps: Int, erases: Bool) async throws {
        for name in Self.buyers { try await world.simulator.perform(.createCustomer(customer: name), in: environment) }
        for step in 1...steps where violations.isEmpty {
            try await world.simulator.advance(by: 2)
            let isChange = step > steps / 4 && chance(65)
            if !isChange { try await changeStore() }
            try await learn()
            let before = model.owners
            let receiver = try await isChange ? changeOwners(erases: erases) : nil
            history.append((now, model.owners))
            try await compareEvents(before, receiver: receiver)
            if isChange { for customer in Self.customers { try await compareOwned(customer) } }
            if step.isMultiple(of: 5) || step == steps { try await compareLists() }
        }
        guard violations.isEmpty, !hasErased else { return }
        for customer in Self.customers { try await compareTimeline(of: customer) }
    }

    private var now: Milliseconds { world.simulator.now.milliseconds }
    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private mutating func one<Element>(of values: [Element]) throws -> Element {
        let value = values.randomElement(using: &random)
        return try #require(value)
    }
    private static func token(_ name: String) -> UUID? {
        buyers.prefix(tokens.count).firstIndex(of: name).flatMap { UUID(uuidString: tokens[$0]) }
    }
}

// MARK: - Steps

extension OwnershipLaw {
    private mutating func changeStore() async throws {
        let name = try one(of: Self.buyers)
        var command = StoreCommand.purchase(
            customer: name, product: try one(of: Self.products), appAccountToken: AppAccountToken(Self.token(name)))
        switch Int.random(in: 0..<10, using: &random) {
        case 0: command = .shareWithFamily(customer: name, member: try one(of: Self.buyers))
        case 1: command = .stopSharing(customer: name, member: try one(of: Self.buyers))
        case 2: command = .approveRefund(customer: name)
        case 3 where environment == .sandbox:
            command = .assignSeat(customer: name, product: "com.example.premium.monthly")
        case 3:
            try await migrate(name)
            return
        case 4:
            let days = try one(of: [1.0, 9, 33])
            try await world.simulator.advance(by: environment == .sandbox ? days * 120 : days * 86_400)
            return
        default: break
        }
        // The simulator refuses many random commands.
        do { try await world.simulator.perform(command, in: environment) } catch is StoreError {}
    }

    /// Migrates a subscription of a customer to Advanced Commerce.
    private func migrate(_ name: String) async throws {
        let bought = transactions(of: name).last { $0.type == .autoRenewableSubscription }
        guard let bought else { return }
        let request = AdvancedCommerceSubscriptionMigrateRequest(
            requestInfo: .init(requestReferenceId: UUID()), descriptors: .init(description: "d", displayName: "N"),
            items: [.init(sku: "n", description: "d", displayName: "n")],
            targetProductId: "com.example.advanced.subscription", taxCode: "C003-00-2")
        do {
            _ = try await world.appStoreClient(environment).migrateSubscription(bought.transactionId, request)
        } catch let error as AppStoreServerError where error.code == .refused {
            // The subscription has expired, is shared, or was migrated before.
        }
        try await world.simulator.processDueEvents()
    }

    private func transactions(of name: String) -> [JWSTransactionDecodedPayload] {
        world.simulator.core.read(environment) { store, _ in
            (store.customers[name]?.transactions ?? []).compactMap { store.transactions[$0]?.payload }
        }
    }

    /// Tells the model of all purchases.
    private mutating func learn() async throws {
        try await world.waitUntilIdle()
        for name in Self.buyers {
            for (original, periods) in Dictionary(grouping: transactions(of: name), by: \.originalTransactionId) {
                guard let account = periods.compactMap(\.appTransactionId).last else { continue }
                let token = periods.compactMap(\.appAccountToken).last
                model.learn(original, boughtBy: account, for: token?.uuidString.lowercased())
            }
        }
    }

    /// Makes a request that can change owners. Returns the customer who receives a purchase.
    private mutating func changeOwners(erases: Bool) async throws -> String {
        let customer = try one(of: Self.customers)
        let path = "/v1/customers/\(customer)"
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2:
            let from = try one(of: Self.customers)
            model.merge(from, into: customer)
            try await expect(200, "POST", "\(path)/merge", ["from": from])
        case 2:
            guard let original = model.originals.randomElement(using: &random) else { break }
            let owner = model.owners(original).sorted().randomElement(using: &random)
            let receiver = chance(50) ? owner ?? customer : customer
            model.transfer(original, to: receiver)
            try await expect(
                200, "POST", "/v1/customers/\(receiver)/purchases/\(original)/transfer", ["reason": "r"])
            return receiver
        case 3 where erases:
            hasErased = true
            model.erase(customer)
            try await expect(200, "DELETE", path, nil)
        default: try await report(for: customer)
        }
        return customer
    }

    private mutating func report(for customer: String) async throws {
        let buyer = try one(of: Self.buyers)
        let bought = transactions(of: buyer)
        guard let last = bought.last, let account = last.appTransactionId else { return }
        var body: [String: Any] = [:]
        var sent: [String: String] = [:]
        if chance(75) {
            let texts = try await world.signedTransactions(of: last.transactionId, in: environment)
            let chosen = texts.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
            for text in chosen {
                let payload = try await world.server.core.historical.transaction(text).payload
                sent[payload.transactionId] = payload.originalTransactionId
            }
            body["signed_transactions"] = Array(chosen)
        }
        let namesAccount = sent.isEmpty || chance(50)
        if namesAccount {
            body["app_transaction"] = try await world.appStoreClient(environment)
                .appTransaction(of: last.transactionId).signedAppTransactionInfo
        }
        let restore: Bool? = try one(of: [nil, nil, true, false] as [Bool?])
        if let restore { body["restore"] = restore }
        let access = try await model.policy == .transferIfInactive ? purchasesWithAccess() : []
        let kept = model.report(
            Set(sent.values), account: namesAccount ? account : nil, restore: restore, for: customer, access: access)
        let answer = try await expect(kept == nil ? 409 : 200, "POST", "/v1/customers/\(customer)/purchases", body)
        if kept == nil { compared[.refused, default: 0] += 1 }
        guard let kept else { return }
        let wanted = Set(sent.filter { kept.contains($0.value) }.keys)
        require(Set(answer["kept"] as? [String] ?? []) == wanted, "kept \(answer["kept"] ?? ""), not \(wanted)")
    }

    /// The purchases that give access to one of their owners.
    private func purchasesWithAccess() async throws -> Set<String> {
        var found: Set<String> = []
        for customer in Self.customers {
            let purchases = Self.purchases(in: try await get("/v1/customers/\(customer)"))
            found.formUnion(purchases.filter { $0["has_access"] as? Bool == true }.compactMap(Self.original))
        }
        return found
    }
}

// MARK: - Comparisons

extension OwnershipLaw {
    private mutating func require(_ isTrue: Bool, _ violation: String) {
        if !isTrue { violations.append("\(Agreement.stamp(world.simulator.now)): \(violation)") }
    }

    @discardableResult
    private mutating func expect(
        _ status: Int, _ method: String, _ path: String, _ body: [String: Any]?
    ) async throws -> TestAPIClient.Response {
        let data = try body.map { try JSONSerialization.data(withJSONObject: $0) }
        let answer = try await world.api.send(method, inEnvironment(path), body: data)
        require(answer.status == status, "\(method) \(path) answers \(answer.status), not \(status): \(answer.text)")
        return answer
    }

    private func inEnvironment(_ path: String) -> String {
        path + (path.contains("?") ? "&" : "?") + "environment=\(environment.rawValue)"
    }

    private func get(_ path: String) async throws -> TestAPIClient.Response {
        try await world.api.get(inEnvironment(path))
    }

    /// The items of all pages.
    private func items(_ path: String, limit: Int) async throws -> [[String: Any]] {
        var items: [[String: Any]] = []
        var page: String?
        repeat {
            let answer = try await get(
                "\(path)\(path.contains("?") ? "&" : "?")limit=\(limit)" + (page.map { "&page=\($0)" } ?? ""))
            items += answer.items
            page = answer["next_page"] as? String
        } while page != nil
        return items
    }

    private static func original(_ item: [String: Any]) -> String? { item["original_transaction_id"] as? String }

    private static func purchases(in answer: TestAPIClient.Response) -> [[String: Any]] {
        ["subscriptions", "purchases"].flatMap { answer[$0] as? [[String: Any]] ?? [] }
    }

    /// Compares the purchases of a customer.
    private mutating func compareOwned(_ customer: String) async throws {
        let known = Set(Self.purchases(in: try await get("/v1/customers/\(customer)")).compactMap(Self.original))
        let wanted = Set(model.originals.filter { model.owners($0).contains(customer) })
        compared[.owned, default: 0] += wanted.count
        require(known == wanted, "\(customer) owns \(known.sorted()), not \(wanted.sorted())")
    }

    /// Compares the claims of all customers, the owners of all purchases, and the purchases that nobody claimed.
    private mutating func compareLists() async throws {
        for customer in Self.customers {
            let claims = try await items("/v1/customers/\(customer)/claims", limit: 3)
            let owned = Set(history.flatMap { $0.owners.filter { $0.value.contains(customer) }.keys })
            let listed = Set(claims.compactMap(Self.original))
            require(hasErased || listed == owned, "claims of \(customer): \(listed.sorted()), not \(owned.sorted())")
            for claim in claims {
                let original = Self.original(claim) ?? ""
                compared[.claims, default: 0] += 1
                require(
                    Set(claim["owners"] as? [String] ?? []) == model.owners(original)
                        && claim["reason"] as? String == model.reason(original),
                    "claim \(claim), not \(model.owners(original)), \(model.reason(original))")
            }
        }
        for original in model.originals {
            let owners = try await get("/v1/transactions/\(original)")["customers"] as? [String]
            compared[.owners, default: 0] += 1
            require(Set(owners ?? ["none"]) == model.owners(original), "\(original) belongs to \(owners ?? [])")
        }
        let listed = Set(try await items("/v1/purchases?claimed=false", limit: 2).compactMap(Self.original))
        let paid = Set(
            Self.buyers.flatMap { transactions(of: $0) }.filter { $0.inAppOwnershipType == .purchased }
                .map(\.originalTransactionId))
        let unclaimed = Set(model.originals.filter { model.isUnclaimed($0) && paid.contains($0) })
        compared[.unclaimed, default: 0] += unclaimed.count
        require(listed == unclaimed, "\(listed.sorted()) are unclaimed, not \(unclaimed.sorted())")
    }

    /// Compares the new events with the changes of ownership in a step.
    ///
    /// - Parameter receiver: The customer who receives purchases in a merge or transfer, also if the customer owned
    ///   them already.
    private mutating func compareEvents(_ before: [String: Set<String>], receiver: String?) async throws {
        var known: [String] = []
        var isEmpty = false
        while !isEmpty {
            let page = try await world.api.get("/v1/events?limit=100" + (eventsPage.map { "&page=\($0)" } ?? ""))
            eventsPage = page["next_page"] as? String ?? eventsPage
            isEmpty = page.items.isEmpty
            for event in page.items {
                let (type, data) = (event["type"] as? String ?? "", event["data"] as? [String: Any] ?? [:])
                guard ["purchase.linked", "purchase.transferred"].contains(type) else { continue }
                let details = data["details"] as? [String: Any]
                let (from, to) = (details?["from"] as? [String] ?? [], details?["to"] as? [String] ?? [])
                known.append("\(type) \(Self.original(data) ?? "") \(from.sorted()) \(to.sorted())")
            }
        }
        let wanted = before.compactMap { original, owners -> String? in
            let present = model.owners(original)
            let lost = owners.subtracting(present)
            var won = present.subtracting(owners)
            if won.isEmpty, !lost.isEmpty, let receiver, present.contains(receiver) { won = [receiver] }
            return won.isEmpty ? nil : Self.change(of: original, lost, won)
        }
        compared[.events, default: 0] += wanted.count
        require(known.sorted() == wanted.sorted(), "events \(known.sorted()), not \(wanted.sorted())")
    }

    private static func change(of original: String, _ lost: Set<String>, _ won: Set<String>) -> String {
        "purchase.\(lost.isEmpty ? "linked" : "transferred") \(original) \(lost.sorted()) \(won.sorted())"
    }

    /// The owners of a purchase at an instant. Before the first known owners, these.
    private func owners(_ original: String, at instant: Milliseconds) -> Set<String> {
        let states = history.compactMap { state in state.owners[original].map { (state.instant, $0) } }
        let known = states.last { $0.0 <= instant }?.1 ?? []
        return known.isEmpty ? states.first { !$0.1.isEmpty }?.1 ?? [] : known
    }

    /// Compares a customer's timeline with the notifications of the App Store and the changes of ownership, and
    /// explanations with entitlements at an instant in the past.
    private mutating func compareTimeline(of customer: String) async throws {
        let path = "/v1/customers/\(customer)"
        let entries = try await items("\(path)/timeline", limit: 100)
        let paged = try await items("\(path)/timeline", limit: 3)
        func sentences(_ entries: [[String: Any]]) -> [String] {
            entries.map { "\($0["occurred_at"] ?? "") \($0["sentence"] ?? "")" }
        }
        require(sentences(entries) == sentences(paged), "pages of 3 of the timeline of \(customer) differ")
        let instants = entries.compactMap { $0["occurred_at"] as? Int64 }
        require(instants == instants.sorted(by: >), "the timeline of \(customer) is not in order")
        compared[.timeline, default: 0] += entries.count
        let sent = world.simulator.core.read(environment) { store, _ in
            store.notifications.compactMap { record -> (uuid: String, original: String, date: Date)? in
                guard case .purchase(let purchase) = record.content else { return nil }
                return (record.uuid, purchase.transaction.originalTransactionId, record.signedDate)
            }
        }
        let notifications = entries.filter { $0["kind"] as? String == "notification" }.compactMap {
            $0["uuid"] as? String
        }
        let wanted = sent.filter { owners($0.original, at: $0.date.milliseconds).contains(customer) }.map(\.uuid)
        require(
            notifications.sorted() == wanted.sorted(),
            "\(customer) sees \(Set(notifications).symmetricDifference(wanted).count) notifications too many or too few"
        )
        let changes = entries.compactMap { entry -> String? in
            guard let from = entry["from"] as? [String], let to = entry["to"] as? [String] else { return nil }
            return Self.change(of: Self.original(entry) ?? "", Set(from), Set(to))
        }
        let made = zip(history, history.dropFirst()).flatMap { before, after in
            after.owners.compactMap { original, owners -> String? in
                guard let former = before.owners[original] else { return nil }
                let (lost, won) = (former.subtracting(owners), owners.subtracting(former))
                return lost.contains(customer) || won.contains(customer) ? Self.change(of: original, lost, won) : nil
            }
        }
        require(changes.sorted() == made.sorted(), "changes of \(customer): \(changes.sorted()), not \(made.sorted())")
        let instant = try one(of: history).instant
        let then = try await get("\(path)/entitlements/premium?at=\(instant)")
        let why = try await get("\(path)/entitlements/premium/explain?at=\(instant)")
        compared[.explained, default: 0] += 1
        require(
            then["is_active"] as? Bool == why["is_active"] as? Bool
                && then["until"] as? Int64 == why["until"] as? Int64,
            "\(why["sentence"] ?? "") at \(instant), but \(then.text)")
    }
}
