internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Foundation
internal import Ledger
internal import LedgerServices

/// The health of a part of the server.
struct HealthPart: Sendable {
    enum Status: String, Sendable {
        case good = "ok"
        /// The part works but needs attention.
        case warning
        /// The part does not work.
        case failing
    }

    var name: String
    var status: Status
    /// The human-readable description.
    var detail: String

    init(_ name: String, _ status: Status, _ detail: String) {
        (self.name, self.status, self.detail) = (name, status, detail)
    }
}

extension ServerCore {
    /// How long a notification may wait to be processed before the inbox needs attention, in milliseconds, like the
    /// alert.
    static let longestWait: Milliseconds = 300_000
    /// How long an event may wait to be delivered before the webhooks need attention, in milliseconds, like the alert.
    static let longestDelivery: Milliseconds = 3_600_000

    /// Returns all parts, in the order in which a notification passes through them.
    func healthParts() async -> [HealthPart] {
        [
            readiness.isDraining
                ? HealthPart("server", .failing, "It is stopping and accepts no more requests.")
                : HealthPart("server", .good, "It accepts requests."),
            trustPart, await ledgerPart(), await inboxPart(), appStorePart, recoveryPart, await webhookPart(),
            auditPart,
        ]
    }

    private var trustPart: HealthPart {
        let trust = configuration.trust
        let ending = trust.expiringRoots(at: now)
        guard ending.isEmpty else {
            let names = ending.map { "\($0.name) on \($0.date.formatted(.iso8601))" }.joined(separator: ", ")
            return HealthPart("trust", .warning, "Roots that expire within a year: \(names).")
        }
        let first =
            trust.roots.first.map { "the first root expires on \($0.date.formatted(.iso8601))" } ?? "no root expires"
        return HealthPart("trust", .good, "Revocation is \(trust.revocation.rawValue); \(first).")
    }

    private func ledgerPart() async -> HealthPart {
        guard let problem = await readiness.ledgerProblem() else {
            return HealthPart("ledger", .good, "It can be written.")
        }
        return HealthPart("ledger", .failing, "It cannot be written: \(readiness.reason(of: problem) ?? problem).")
    }

    private func inboxPart() async -> HealthPart {
        do {
            let backlog = try await storage.backlog()
            let isLate = backlog.oldest.map { $0 < now.milliseconds - Self.longestWait } ?? false
            let waiting = backlog.count.noun("notification waits", "notifications wait")
            let detail = "\(backlog.count) \(waiting) to be processed."
            return HealthPart("inbox", isLate ? .warning : .good, detail)
        } catch { return HealthPart("inbox", .failing, "The ledger cannot be read: \(error.logReason).") }
    }

    /// Whether every app has a key for the App Store Server API, and the App Store accepts the newer of two.
    private var appStorePart: HealthPart {
        var problems: [String] = []
        let without = configuration.apps.count { $0.key == nil }
        if without > 0 {
            problems.append(
                "\(without) of \(configuration.apps.count) apps have no key: no recovery, and no history for restores.")
        }
        let refused = clients.compactMap { scope, client in
            client.tokens.refusedKeyID.map { "\($0) for \(scopes.name(of: scope))" }
        }
        if !refused.isEmpty {
            problems.append(
                "The App Store does not accept the newer key \(refused.sorted().joined(separator: ", ")); "
                    + "requests use the older one.")
        }
        guard problems.isEmpty else { return HealthPart("app_store", .warning, problems.joined(separator: " ")) }
        return HealthPart("app_store", .good, "Every app has a key for the App Store Server API.")
    }

    private var recoveryPart: HealthPart {
        guard configuration.recovery.isEnabled else {
            return HealthPart("recovery", .warning, "recovery.enabled is false: missed notifications are not fetched.")
        }
        let failing = recovery.consecutiveFailures().filter { $0.count > 0 }
        guard let worst = failing.max(by: { $0.count < $1.count }) else {
            return HealthPart("recovery", .good, "The last pass of each app succeeded.")
        }
        let place = scopes.name(of: worst.appEnvironment.id)
        let others = failing.count - 1
        let kind = others.noun("app or environment", "apps or environments")
        let more = others == 0 ? "" : ", and for \(others) more \(kind)"
        return HealthPart(
            "recovery", .warning,
            "It failed \(worst.count) \(worst.count.noun("time")) in a row for \(place)\(more); "
                + "see completeness for the reason.")
    }

    private func webhookPart() async -> HealthPart {
        do {
            let backlog = try await webhooks.webhookBacklog()
            let late = backlog.oldest.flatMap { $0 < now.milliseconds - Self.longestDelivery ? $0 : nil }
            let oldest = late.map { Date(milliseconds: $0).formatted(.iso8601) }
            let since = oldest.map { " The oldest event has waited since \($0)." } ?? ""
            let detail =
                "\(backlog.deliveries) \(backlog.deliveries.noun("delivery waits", "deliveries wait")); "
                + "\(backlog.disabledEndpoints) "
                + backlog.disabledEndpoints.noun("endpoint is disabled.", "endpoints are disabled.")
                + since
            return HealthPart("webhooks", late != nil || backlog.disabledEndpoints > 0 ? .warning : .good, detail)
        } catch { return HealthPart("webhooks", .failing, "The ledger cannot be read: \(error.logReason).") }
    }

    private var auditPart: HealthPart {
        let waiting = audit.waitingCount
        return HealthPart(
            "audit_log", waiting > 1000 ? .warning : .good,
            "\(waiting) \(waiting.noun("entry waits", "entries wait")) to be written.")
    }
}
