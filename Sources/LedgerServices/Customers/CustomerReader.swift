internal import AppStoreModels
package import AppStoreServer
package import AppStoreTrust
package import Entitlements
package import Foundation
package import Ledger

/// The facts about a customer, and the states derived from them.
package struct CustomerReading: Sendable {
    package var customer: String
    package var appEnvironment: AppEnvironment
    package var lineages: [Lineage]
    package var facts: CustomerFacts
    package var states: CustomerStates
    /// The earlier texts that do not count, because they do not verify now.
    package var unverified: [UnverifiedText] = []
}

/// Reads the facts and states of customers. A class, because its many parts would be copied for each request.
package final class CustomerReader: Sendable {
    package typealias Storage = CustomerStorage & ClaimStorage & EntitlementContextStorage & OriginalPurchaseStorage
        & InspectionStorage & GrantStorage

    let storage: any Storage
    let apps: Apps
    let scopes: AppEnvironmentRegistry
    /// Verifies signed data at its signing date.
    let verifier: SignedDataVerifier
    let clock: ServerClock

    package init(
        storage: any Storage, apps: Apps, scopes: AppEnvironmentRegistry, verifier: SignedDataVerifier,
        clock: ServerClock
    ) {
        self.storage = storage
        self.apps = apps
        self.scopes = scopes
        self.verifier = verifier
        self.clock = clock
    }

    var now: Date { clock.now() }

    /// The number of purchases above which other tasks run between the steps of a response. To read them, to derive the
    /// states, and to write the response takes time in proportion to their number, and Swift has one thread for each
    /// processor.
    static let manyPurchases = 500

    /// Reads a customer at an instant. An unknown customer has no purchases.
    ///
    /// - Parameter instant: The instant; nil for now. For a past instant, the purchases are those that belonged to the
    ///   customer then, and the stored notifications are verified and read again, because the ledger's records contain
    ///   only the latest facts.
    package func customer(_ customer: String, in appEnvironment: AppEnvironment, at instant: Date?) async throws
        -> CustomerReading
    {
        guard let instant, instant < now else {
            // The most frequent query: one consistent read of all parts.
            let present = try await storage.snapshot(of: customer, in: appEnvironment)
            if present.lineages.count > Self.manyPurchases { await Task.yield() }
            var facts = Self.facts(of: present.lineages)
            facts.add(present.context)
            return try await reading(customer, appEnvironment, present.lineages, facts, at: instant)
        }
        let lineages = try await storage.purchases(ownedBy: customer, in: appEnvironment.id)
            .filter { $0.ownership.owners(at: instant.milliseconds).containsExactly(customer) }
            .map(\.lineage).filter { !$0.isEmpty }
        return try await reading(customer, appEnvironment, lineages, at: instant)
    }

    private static func facts(of lineages: [Lineage]) -> CustomerFacts {
        // Most customers have one lineage, whose facts need not be copied.
        var facts = CustomerFacts(
            transactions: lineages.count == 1 ? lineages[0].transactions : lineages.flatMap(\.transactions),
            renewals: lineages.compactMap(\.renewal))
        facts.gracePeriods = lineages.compactMap(\.gracePeriod)
        return facts
    }

    /// Reads a customer with only the given lineages.
    package func reading(
        _ customer: String, _ appEnvironment: AppEnvironment, _ lineages: [Lineage], at instant: Date?
    ) async throws -> CustomerReading {
        var facts = Self.facts(of: lineages)
        try await addEntitlementContext(to: &facts, of: customer, in: appEnvironment, at: instant)
        return try await reading(customer, appEnvironment, lineages, facts, at: instant)
    }

    private func reading(
        _ customer: String, _ appEnvironment: AppEnvironment, _ lineages: [Lineage], _ facts: CustomerFacts,
        at instant: Date?
    ) async throws -> CustomerReading {
        var facts = facts
        let now = facts.evaluationDate(now: self.now)
        var unverified: [UnverifiedText] = []
        if let instant, instant < now {
            unverified = try await addVersions(to: &facts, of: lineages, in: appEnvironment)
        }
        if instant == nil { facts.grants = facts.grants.map { $0.asStored(at: now) } }
        let states = apps.engine(of: appEnvironment.bundleID).state(of: facts, asOf: instant ?? now)
        if lineages.count > Self.manyPurchases { await Task.yield() }
        return CustomerReading(
            customer: customer, appEnvironment: appEnvironment, lineages: lineages, facts: facts, states: states,
            unverified: unverified)
    }

    /// Adds the facts of all notifications about the lineages. Returns the notifications that no longer verify.
    private func addVersions(
        to facts: inout CustomerFacts, of lineages: [Lineage], in appEnvironment: AppEnvironment
    ) async throws -> [UnverifiedText] {
        var allowance = TextAllowance()
        var unverified: [UnverifiedText] = []
        let originals = lineages.map(\.originalTransactionID)
        for (original, stored) in try await notifications(about: originals, in: appEnvironment, &allowance) {
            do throws(VerificationError) {
                guard let parts = try await parts(of: stored) else { continue }
                if let transaction = parts.transaction { facts.transactions.append(TransactionFact(transaction)) }
                if let renewal = parts.renewal { facts.renewals.append(RenewalFact(renewal)) }
            } catch {
                unverified.append(
                    UnverifiedText(error, isDamaged: stored.isDamaged, original, notification: stored.uuid))
            }
        }
        return unverified
    }

    /// Verifies a stored notification again, because the file may have been changed, and returns its parts. Nil if the
    /// notification is not processed or its scope is unknown.
    ///
    /// Other tasks run first: a request may call this for ``TextAllowance/texts`` notifications.
    package func parts(of stored: StoredNotification) async throws(VerificationError) -> NotificationParts? {
        await Task.yield()
        guard let appEnvironment = scopes[id: stored.scope] else { return nil }
        return try await NotificationParts(of: stored, in: appEnvironment, verifiedBy: verifier)
    }
}

extension Lineage {
    /// Whether the lineage has no facts. It exists only because it was claimed.
    fileprivate var isEmpty: Bool { transactions.isEmpty && renewal == nil }
}
