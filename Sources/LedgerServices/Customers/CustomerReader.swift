package import Ledger
internal import AppStoreModels
package import AppStoreServer
package import AppStoreTrust
package import Entitlements
package import Foundation

/// What is known of a customer, and what follows from it.
package struct CustomerReading: Sendable {
    package var customer: String
    package var scope: Scope
    package var lineages: [Lineage]
    package var facts: CustomerFacts
    package var states: CustomerStates
    /// The texts of the past that do not count, because they do not verify now.
    package var unverified: [UnverifiedText] = []
}

/// Reads what customers have, and what that rests on.
package struct CustomerReader: Sendable {
    package typealias Storage = CustomerStorage & ClaimStorage & CircumstanceStorage & OriginalPurchaseStorage
        & InspectionStorage & GrantStorage

    let storage: any Storage
    let apps: Apps
    let scopes: ScopeRegistry
    /// Judges what was signed earlier.
    let verifier: SignedDataVerifier
    let clock: ServerClock

    package init(
        storage: any Storage, apps: Apps, scopes: ScopeRegistry, verifier: SignedDataVerifier, clock: ServerClock
    ) {
        self.storage = storage
        self.apps = apps
        self.scopes = scopes
        self.verifier = verifier
        self.clock = clock
    }

    var now: Date { clock.now() }

    /// What a customer has at an instant; one who is not known has nothing.
    ///
    /// - Parameter instant: nil for now. For an instant in the past it is what belonged to the customer then, and the
    ///   notifications are read again: the ledger holds what is known now, they hold what was known then.
    package func customer(_ customer: String, in scope: Scope, at instant: Date?) async throws -> CustomerReading {
        guard let instant, instant < now else {
            // Of one instant, and asked for most.
            let present = try await storage.present(of: customer, in: scope)
            var facts = Self.facts(of: present.lineages)
            facts.add(present.circumstances)
            return try await reading(customer, scope, present.lineages, facts, at: instant)
        }
        return try await reading(
            customer, scope, try await lineages(of: customer, in: scope, at: instant), at: instant)
    }

    private func lineages(of customer: String, in scope: Scope, at instant: Date?) async throws -> [Lineage] {
        guard let instant, instant < now else { return try await storage.lineages(of: customer, in: scope.id) }
        let held = try await storage.purchasesHeld(by: customer, in: scope.id)
        return held.filter { $0.ownership.owners(at: instant.milliseconds).containsExactly(customer) }
            .map(\.lineage).filter { !$0.isEmpty }
    }

    private static func facts(of lineages: [Lineage]) -> CustomerFacts {
        // Most have one, whose facts need not be copied.
        CustomerFacts(
            transactions: lineages.count == 1 ? lineages[0].transactions : lineages.flatMap(\.transactions),
            renewals: lineages.compactMap(\.renewal))
    }

    /// What one purchase or subscription gives by itself.
    package func reading(
        _ customer: String, _ scope: Scope, _ lineages: [Lineage], at instant: Date?
    ) async throws -> CustomerReading {
        var facts = Self.facts(of: lineages)
        try await addCircumstances(to: &facts, of: customer, in: scope, at: instant)
        return try await reading(customer, scope, lineages, facts, at: instant)
    }

    private func reading(
        _ customer: String, _ scope: Scope, _ lineages: [Lineage], _ facts: CustomerFacts, at instant: Date?
    ) async throws -> CustomerReading {
        var facts = facts
        let now = facts.present(now: self.now)
        var unverified: [UnverifiedText] = []
        if let instant, instant < now { unverified = try await addVersions(to: &facts, of: lineages, in: scope) }
        let engine = apps.engine(of: scope.bundleID)
        return CustomerReading(
            customer: customer, scope: scope, lineages: lineages, facts: facts,
            states: engine.state(of: facts, asOf: instant ?? now), unverified: unverified)
    }

    /// Adds what each notification said when it was signed; gives those that do not verify any more.
    private func addVersions(
        to facts: inout CustomerFacts, of lineages: [Lineage], in scope: Scope
    ) async throws -> [UnverifiedText] {
        var allowance = TextAllowance()
        var unverified: [UnverifiedText] = []
        let originals = lineages.map(\.originalTransactionID)
        for (original, kept) in try await notifications(about: originals, in: scope, &allowance) {
            do throws(VerificationError) {
                guard let parts = try await parts(of: kept) else { continue }
                if let transaction = parts.transaction { facts.transactions.append(TransactionFact(transaction)) }
                if let renewal = parts.renewal { facts.renewals.append(RenewalFact(renewal)) }
            } catch {
                unverified.append(UnverifiedText(error, isDamaged: kept.isDamaged, original, notification: kept.uuid))
            }
        }
        return unverified
    }

    /// What a notification that was kept says, verified again: the file may have been written by somebody else. Nil when it
    /// was not folded.
    package func parts(of kept: KeptNotification) async throws(VerificationError) -> NotificationParts? {
        guard let scope = scopes[id: kept.scope] else { return nil }
        return try await NotificationParts(of: kept, in: scope, verifiedBy: verifier)
    }
}

extension Lineage {
    /// Whether nothing is known of it but that it was claimed.
    fileprivate var isEmpty: Bool { transactions.isEmpty && renewal == nil }
}
