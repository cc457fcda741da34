internal import AppStoreTrust
internal import Foundation
internal import Ledger
internal import LedgerServices

/// A part of the server, and whether it does its work.
struct HealthPart: Sendable {
    enum Status: String, Sendable {
        case good = "ok"
        /// It works, and somebody should look at it.
        case warning
        /// It does not work.
        case failing
    }

    var name: String
    var status: Status
    /// What there is to say, for people.
    var detail: String

    init(_ name: String, _ status: Status, _ detail: String) {
        (self.name, self.status, self.detail) = (name, status, detail)
    }
}

extension ServerCore {
    /// How long a notification may wait to be processed, in milliseconds, before somebody should look.
    private static let longestWait: Milliseconds = 300_000

    /// All parts, in the order in which a notification comes to them.
    func healthParts() async -> [HealthPart] {
        [
            readiness.isDraining
                ? HealthPart("server", .failing, "It is stopping and takes no more requests.")
                : HealthPart("server", .good, "It takes requests."),
            trustPart, await ledgerPart(), await inboxPart(), appStorePart, recoveryPart, await webhookPart(),
            auditPart,
        ]
    }

    private var trustPart: HealthPart {
        let trust = configuration.trust
        let ending = trust.endingRoots(at: now)
        guard ending.isEmpty else {
            let names = ending.map { "\($0.name) on \($0.date.formatted(.iso8601))" }.joined(separator: ", ")
            return HealthPart("trust", .warning, "Roots end within a year: \(names).")
        }
        let first = trust.roots.first.map { "the first root ends on \($0.date.formatted(.iso8601))" } ?? "no root ends"
        return HealthPart("trust", .good, "Revocation is \(trust.revocation.rawValue); \(first).")
    }

    private func ledgerPart() async -> HealthPart {
        guard let problem = await readiness.ledgerProblem() else {
            return HealthPart("ledger", .good, "It can be written.")
        }
        return HealthPart("ledger", .failing, "It cannot be written: \(problem).")
    }

    private func inboxPart() async -> HealthPart {
        do {
            let backlog = try await storage.backlog()
            let isLate = backlog.oldest.map { $0 < now.milliseconds - Self.longestWait } ?? false
            let detail = "\(backlog.count) notifications wait to be processed."
            return HealthPart("inbox", isLate ? .warning : .good, detail)
        } catch { return HealthPart("inbox", .failing, "The ledger cannot be read: \(error.logReason).") }
    }

    /// Whether the App Store can be asked.
    private var appStorePart: HealthPart {
        let without = configuration.apps.count { $0.key == nil }
        guard without > 0 else {
            return HealthPart("app_store", .good, "Every app has a key for the App Store Server API.")
        }
        return HealthPart(
            "app_store", .warning,
            "\(without) of \(configuration.apps.count) apps have no key: no recovery, and no history for restores.")
    }

    private var recoveryPart: HealthPart {
        guard configuration.recovery.isEnabled else {
            return HealthPart("recovery", .warning, "recovery.enabled is false: gaps are not closed.")
        }
        let failures = recovery.failuresInARow().map(\.count).max() ?? 0
        guard failures > 0 else { return HealthPart("recovery", .good, "The last pass of each app succeeded.") }
        return HealthPart("recovery", .warning, "It failed \(failures) times in a row; completeness says why.")
    }

    private func webhookPart() async -> HealthPart {
        do {
            let backlog = try await webhooks.webhookBacklog()
            let detail =
                "\(backlog.deliveries) deliveries wait; \(backlog.disabledEndpoints) endpoints are switched off."
            return HealthPart("webhooks", backlog.disabledEndpoints > 0 ? .warning : .good, detail)
        } catch { return HealthPart("webhooks", .failing, "The ledger cannot be read: \(error.logReason).") }
    }

    private var auditPart: HealthPart {
        let waiting = audit.waitingCount
        return HealthPart(
            "audit_log", waiting > 1000 ? .warning : .good, "\(waiting) entries wait to be written.")
    }
}
