internal import AppStoreModels
internal import Foundation
package import Ledger

extension MemoryLedger: ErasureStorage {
    package func erase(_ customer: String, in appEnvironment: AppEnvironment, at now: Milliseconds) async throws
        -> ErasureReport
    {
        try write { state in
            let digest = Erasure.digest(of: customer, in: appEnvironment.bundleID)
            let key = Key(appEnvironment.id, digest)
            let instant = Erasure.instant(
                at: now, newest: state.newest(of: customer, in: appEnvironment.id), previous: state.erasures[key])
            state.erasures[key] = instant
            return try state.apply(Erasure(digest: digest, at: instant), to: customer, in: appEnvironment.id)
        }
    }

    package func lastErasure(of customer: String, in appEnvironment: AppEnvironment) async throws -> Milliseconds? {
        try read { $0.lastErasure(of: customer, in: appEnvironment.id) }
    }
}

extension MemoryLedger.State {
    /// When the customer was last erased; nil if never.
    func lastErasure(of customer: String, in scope: Int64) -> Milliseconds? {
        guard let bundleID = scopes.first(where: { $0.id == scope })?.bundleID else { return nil }
        return erasures[.init(scope, Erasure.digest(of: customer, in: bundleID))]
    }

    /// Assigns a purchase to the stand-in if its account token names a customer who was erased after the purchase.
    mutating func disown(_ original: String, in scope: Int64) {
        guard let record = records[.init(scope, original)], let customer = record.lineage.appAccountToken?.text,
            let bundleID = scopes.first(where: { $0.id == scope })?.bundleID,
            let instant = lastErasure(of: customer, in: scope)
        else { return }
        let erasure = Erasure(digest: Erasure.digest(of: customer, in: bundleID), at: instant)
        if erasure.covers(record.lineage) { disown(record, customer, erasure, in: scope) }
    }

    /// The instant of the customer's newest claim, grant event or usage report; nil if there is none.
    fileprivate func newest(of customer: String, in scope: Int64) -> Milliseconds? {
        let claimed = claims.filter { $0.key.key.scope == scope }.flatMap(\.value.events)
            .filter { $0.customer.isExactly(customer) }.map(\.instant)
        let granted = grants.filter { $0.key.scope == scope }.flatMap(\.value.events)
            .filter { $0.content.customer?.isExactly(customer) ?? false }.map(\.instant)
        let reported = usage.filter { $0.key.customer == .init(scope, customer) }.map(\.value.reportedAt)
        return (claimed + granted + reported).max()
    }

    fileprivate mutating func apply(
        _ erasure: Erasure, to customer: String, in scope: Int64
    ) throws -> ErasureReport {
        var report = ErasureReport()
        let owned = try purchases(ownedBy: customer, in: scope).map(\.record)
        let named = try purchases(everNaming: customer, in: scope).map(\.record)
        report.purchases = owned.count
        for subject in Erasure.Subject.allCases {
            switch subject {
            case .claims: report.claims = renameClaims(of: customer, erasure, in: scope)
            case .grants: report.grants = removeGrants(of: customer, erasure, in: scope)
            case .formerGrants:
                for (key, history) in grants where key.scope == scope {
                    grants[key] = GrantHistory(history.events.map { erasure.renamed($0, of: customer) ?? $0 })
                }
            case .usage: report.usage = removeUsage(of: customer, erasure, in: scope)
            case .storedResponses: removeStoredResponses(about: customer, in: scope)
            case .purchases: for record in owned { disown(record, customer, erasure, in: scope) }
            case .inquiries: removeFromInquiries(about: named, customer, in: scope)
            case .events: renameEvents(about: named, customer, erasure, in: scope)
            case .deliveries: renameDeliveries(about: named, customer, erasure, in: scope)
            }
        }
        return report
    }

    private mutating func removeStoredResponses(about customer: String, in id: Int64) {
        guard let appEnvironment = scopes.first(where: { $0.id == id }) else { return }
        requests = requests.filter { _, request in
            guard request.customer?.isExactly(customer) ?? false else { return true }
            return !Erasure.removes(
                request.remembered.response, about: appEnvironment.bundleID, in: appEnvironment.environment.rawValue)
        }
    }

    private mutating func renameClaims(of customer: String, _ erasure: Erasure, in scope: Int64) -> Int {
        var count = 0
        for (subject, history) in claims where subject.key.scope == scope {
            let renamed = history.events.map { ($0, erasure.renamed($0, of: customer)) }
            count += renamed.count { $0.1 != nil }
            claims[subject] = ClaimHistory(renamed.map { $0.1 ?? $0.0 })
        }
        return count
    }

    private mutating func removeGrants(of customer: String, _ erasure: Erasure, in scope: Int64) -> Int {
        let removed = grants(of: customer, in: scope).filter { erasure.removes($0) }
        for grant in removed {
            let key = MemoryLedger.Key(scope, grant.id)
            let remnant = grants[key]?.remnant(for: erasure.standIn)
            (grants[key], endsToEmit[key]) = (remnant.map { GrantHistory([$0]) }, nil)
        }
        return removed.count
    }

    private mutating func removeUsage(of customer: String, _ erasure: Erasure, in scope: Int64) -> Int {
        let removed = usage.filter { $0.key.customer == .init(scope, customer) && erasure.removes($0.value) }.keys
        for key in removed { usage[key] = nil }
        return removed.count
    }

    private mutating func disown(
        _ record: LineageRecord, _ customer: String, _ erasure: Erasure, in scope: Int64
    ) {
        let original = record.lineage.originalTransactionID
        guard let claim = erasure.disowningClaim(for: ownership(of: original, in: scope), of: customer) else { return }
        add([claim], to: .init(isAccount: false, key: .init(scope, original)))
    }

    private mutating func removeFromInquiries(about owned: [LineageRecord], _ customer: String, in scope: Int64) {
        let originals = owned.map(\.lineage.originalTransactionID)
        for index in inquiries.indices where inquiries[index].inquiry.scope == scope {
            let inquiry = inquiries[index].inquiry
            guard originals.containsExactly(inquiry.originalTransactionID),
                inquiry.customer?.isExactly(customer) ?? false
            else { continue }
            inquiries[index].inquiry.customer = nil
        }
    }

    private mutating func renameEvents(
        about owned: [LineageRecord], _ customer: String, _ erasure: Erasure, in scope: Int64
    ) {
        let originals = owned.map(\.lineage.originalTransactionID)
        let mentions = Set(owned.flatMap(\.mentions).map(\.notification))
        for index in events.indices where events[index].scope == scope {
            let event = events[index]
            let isAboutThem =
                event.notification.map { mentions.contains($0) || event.originalTransactionID == nil }
                ?? (event.customer?.isExactly(customer) ?? false
                    || event.originalTransactionID.map { originals.containsExactly($0) } ?? false)
            if isAboutThem { events[index] = erasure.renamed(event, of: customer) ?? event }
        }
    }

    private mutating func renameDeliveries(
        about owned: [LineageRecord], _ customer: String, _ erasure: Erasure, in scope: Int64
    ) {
        let lane = DeliveryLane.customer(customer, in: scope)
        let purchases = owned.map { DeliveryLane.purchase($0.lineage.originalTransactionID, in: scope) }
        for (id, delivery) in deliveries where delivery.state == .pending {
            let isInLane = delivery.lane.isExactly(lane)
            if isInLane { deliveries[id]?.lane = DeliveryLane.customer(erasure.standIn, in: scope) }
            guard isInLane || delivery.purchase.map({ purchases.containsExactly($0) }) ?? false else { continue }
            deliveries[id]?.body = nil
        }
    }
}
