import AppStoreModels
import Entitlements
import Foundation
import StoreSimulator

@testable import CounterfoilServer

/// What must be true of the instants in a customer's answers: when access ended or ends, and the periods.
struct TimeLaws {
    let engine: EntitlementEngine
    /// The newest version of each fact, as the ledger's records have them.
    let present: CustomerFacts
    /// All versions.
    let facts: CustomerFacts
    let asOf: Date
    /// The simulator's states of the customer, oldest first.
    let probes: [(date: Date, state: CustomerState)]

    /// An engine whose catalogue also has entitlements of the shop's products.
    static func engine(_ catalogue: ProductCatalogue) -> EntitlementEngine {
        var catalogue = catalogue
        catalogue.entitlements["premium"] = ["gold", "plus", "plus.other", "plus.yearly"]
        catalogue.entitlements["standard"] = ["plus", "basic", "lamp", "season"]
        catalogue.durations["season"] = .month
        return EntitlementEngine(catalogue: catalogue)
    }

    /// When access by each product ended.
    var endDates: [Date] {
        engine.state(of: present, asOf: asOf).products.filter { $0.state == .inactive }.compactMap(\.endedDate)
    }

    /// When renewals were charged before they began, as far as that is known; at most the last three.
    var chargesAhead: [Date] {
        let dates = facts.transactions.filter { $0.signedDate < $0.purchaseDate && $0.signedDate <= asOf }
            .map(\.signedDate)
        return Array(Set(dates).sorted().suffix(3))
    }

    /// The violated laws as texts; empty if there are none.
    var violations: [String] {
        let known = engine.state(of: present, asOf: asOf)
        var wrong =
            ends(known) + untils(of: present, asOf: asOf) + explanations(of: present, asOf: asOf) + periods(known)
        for date in chargesAhead {
            var past = facts
            past.transactions.removeAll { $0.signedDate > date }
            past.renewals.removeAll { $0.signedDate > date }
            past.grants = []
            wrong += untils(of: past, asOf: date)
        }
        if let first = probes.first { wrong += explanations(of: facts, asOf: first.date) }
        return wrong
    }

    /// Access by a product existed just before it ended, and not afterwards.
    private func ends(_ known: CustomerStates) -> [String] {
        let (all, reversed) = (engine.state(of: facts, asOf: asOf), reversedRefunds)
        return known.products.flatMap { product -> [String] in
            guard product.state == .inactive, let end = product.endedDate else { return [] }
            let id = product.productID
            var wrong: [String] = all.product(id).endedDate == end ? [] : ["not according to all facts"]
            // The latest facts do not say when access ended before a refund was reversed; nor that it continued in a
            // grace period, if the customer cancelled or paid for another product.
            let isUnpaid = product.details.contains(.billingError) || product.details.contains(.billingRetry)
            let isUnknown = !isUnpaid && gracePeriods.contains { $0.start == end }
            if !reversed.contains(product.transactionID ?? ""), !isUnknown {
                // The simulator can end a grace period early.
                let isInGrace = gracePeriods.contains { $0.start < end && end <= $0.end }
                if !isInGrace, engine.state(of: facts, asOf: end - 0.001).product(id).state != .active {
                    wrong.append("no access before")
                }
                // Facts about an instant may be signed some milliseconds later.
                if engine.state(of: facts, asOf: min(end + 1, asOf)).product(id).state == .active {
                    wrong.append("access afterwards")
                }
                let last = probes.last { $0.state.gives(id) }?.date
                if product.type != .nonRenewingSubscription, let last, last >= end {
                    wrong.append("access at \(Agreement.stamp(last))")
                }
            }
            return wrong.map { "\(id) ended \(Agreement.stamp(end)), but: \($0)" }
        }
    }

    private var gracePeriods: [GracePeriod] { facts.renewals.compactMap(\.gracePeriod) }

    /// The transactions whose refund was reversed.
    private var reversedRefunds: Set<String> {
        let refunds = facts.transactions.filter { $0.revocationDate != nil }
        let reversals = facts.transactions.filter { fact in
            fact.revocationDate == nil
                && refunds.contains { $0.transactionID == fact.transactionID && $0.signedDate < fact.signedDate }
        }
        return Set(reversals.map(\.transactionID))
    }

    /// Without a new fact, access lasts until the instant that the answer names, and not longer.
    private func untils(of facts: CustomerFacts, asOf: Date) -> [String] {
        let current = Self.untils(of: engine.state(of: facts, asOf: asOf))
        return current.keys.sorted().flatMap { name -> [String] in
            guard let until = current[name] else { return [] }
            let before = Self.untils(of: engine.state(of: facts, asOf: until - 0.001))
            let after = Self.untils(of: engine.state(of: facts, asOf: until))
            let known = "\(Agreement.stamp(until)), as \(Agreement.stamp(asOf)) says"
            return (before[name] == nil ? ["\(name) ends before \(known)"] : [])
                + (after[name] == nil ? [] : ["\(name) lasts longer than \(known)"])
        }
    }

    /// When access by each subscription, product and entitlement ends.
    private static func untils(of states: CustomerStates) -> [String: Date] {
        var untils: [String: Date] = [:]
        for one in states.subscriptions where one.hasAccess { untils[one.originalTransactionID] = one.accessUntil }
        for one in states.products where one.state == .active { untils["product \(one.productID)"] = one.until }
        for one in states.entitlements where one.isActive { untils["entitlement \(one.entitlement)"] = one.until }
        return untils
    }

    private func explanations(of facts: CustomerFacts, asOf: Date) -> [String] {
        engine.state(of: facts, asOf: asOf).entitlements.flatMap { state -> [String] in
            let why = engine.explanation(of: state.entitlement, facts: facts, asOf: asOf)
            let agrees = why.isActive == state.isActive && why.until == state.until
            let isKnown = why.transactionID.map { id in facts.transactions.contains { $0.transactionID == id } } ?? true
            let unfit = ["nil", "Optional", "unknown date", "  ", " .", " ,"].filter { why.sentence.contains($0) }
            guard agrees, isKnown, unfit.isEmpty, !why.sentence.isEmpty, !why.sentence.hasPrefix(" ") else {
                return ["\(state) at \(Agreement.stamp(asOf)) is explained by \(why.rule): \(why.sentence)"]
            }
            return []
        }
    }

    /// The paid periods of a subscription contain the probes at which it is active, and none without access.
    private func periods(_ known: CustomerStates) -> [String] {
        let reversed = reversedRefunds
        return known.subscriptions.filter { $0.ownership == .purchased }.flatMap { subscription -> [String] in
            let id = subscription.originalTransactionID
            var own = present
            own.transactions.removeAll { $0.originalTransactionID != id }
            // Its own facts do not say when a migration ended it.
            let isMigrated = present.transactions.contains { $0.previousOriginalTransactionID == id }
            guard !isMigrated, reversed.isDisjoint(with: own.transactions.map(\.transactionID)),
                let all = PurchasePeriods.all(of: own, known).first, all.omitted == 0
            else { return [] }
            return probes.compactMap { probe -> String? in
                let truth = probe.state.subscriptions.first { $0.originalTransactionID == id }
                let paid = all.periods.filter { period in
                    period.kind != .grace && period.kind != .retry && period.start <= probe.date
                        && period.end.map { probe.date < $0 } ?? true
                }
                // A grace period that was paid later is none. A period that was refunded at once lasts a second.
                let isWrong =
                    truth?.hasAccess == true
                    ? truth?.status == .active && paid.isEmpty : paid.contains { probe.date >= $0.start + 1 }
                return isWrong ? "\(id) has \(paid.count) periods at \(Agreement.stamp(probe.date))" : nil
            }
        }
    }
}

extension CustomerState {
    /// Whether a product gives access. The store does not know how long a non-renewing subscription lasts.
    fileprivate func gives(_ productID: String) -> Bool {
        subscriptions.contains { $0.productID == productID && $0.hasAccess }
            || purchases.contains { $0.productID == productID && $0.revocationDate == nil }
    }
}
