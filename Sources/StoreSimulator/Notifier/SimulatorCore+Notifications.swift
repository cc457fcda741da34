package import AppStoreModels
internal import Foundation
internal import Synchronization

extension SimulatorCore {
    /// What one attempt needs to know.
    private struct Attempt {
        var record: NotificationRecord
        var url: String
        var timeout: TimeInterval
        var effects: [Fault.Effect]
    }

    /// Sends a notification once and notes how that ended.
    func send(_ number: Int, in environment: AppStoreEnvironment, at date: Date) async {
        guard let attempt = attempt(number, in: environment, at: date) else { return }
        for effect in attempt.effects {
            switch effect {
            case .drop: return note(number, .init(outcome: .noResponse), isFinal: true, in: environment, at: date)
            case .unreachable: return note(number, .init(outcome: .noResponse), in: environment, at: date)
            case .reorder: return postpone(number, in: environment, at: date)
            case .delay(let seconds):
                do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
            default: break
            }
        }
        let result: Courier.Result
        do {
            let text = try text(number, attempt.record, Tampering(attempt.effects), in: environment)
            result = await carry(text, attempt)
        } catch {
            // Nothing that a receiver could have caused: the store could not sign.
            result = .init(outcome: .other)
        }
        note(number, result, in: environment, at: date)
    }

    private func carry(_ text: String, _ attempt: Attempt) async -> Courier.Result {
        let text = attempt.effects.contains(.truncate) ? String(text.prefix(text.utf8.count / 2)) : text
        if attempt.effects.contains(.duplicate) {
            _ = await courier.send(text, to: attempt.url, timeout: attempt.timeout)
        }
        return await courier.send(text, to: attempt.url, timeout: attempt.timeout)
    }

    private func attempt(_ number: Int, in environment: AppStoreEnvironment, at date: Date) -> Attempt? {
        state.withLock { state in
            let store = state[environment]
            guard store.notifications.indices.contains(number), let url = store.settings.notificationURL else {
                return nil
            }
            let record = store.notifications[number]
            let name = record.type.rawValue
            let targets =
                ["notification:*", "notification:\(name)"]
                + (record.subtype.map { ["notification:\(name).\($0.rawValue)"] } ?? [])
            return Attempt(
                record: record, url: url, timeout: store.settings.deliveryTimeout,
                effects: state.faults.strike(targets, in: environment, at: date))
        }
    }

    private func note(
        _ number: Int, _ result: Courier.Result, isFinal: Bool = false, in environment: AppStoreEnvironment,
        at date: Date
    ) {
        state.withLock {
            $0[environment].noteAttempt(number, result.outcome, status: result.status, isFinal: isFinal, at: date)
        }
    }

    /// Sends it later: 1 to 600 seconds on the simulator's clock.
    private func postpone(_ number: Int, in environment: AppStoreEnvironment, at date: Date) {
        state.withLock {
            let seconds = Double(1 + number.magnitude &* 2_654_435_761 % 600)
            $0[environment].deliveries.add(.delivery(number), at: date + seconds)
        }
    }

    /// The text of a notification: the same each time, unless a fault spoils it.
    package func text(_ number: Int, in environment: AppStoreEnvironment) throws -> String {
        let record = state.withLock { state -> NotificationRecord? in
            let notifications = state[environment].notifications
            return notifications.indices.contains(number) ? notifications[number] : nil
        }
        guard let record else { throw SimulatorError("unknown_notification", "there is no notification \(number)") }
        return try text(number, record, Tampering(), in: environment)
    }

    private func text(
        _ number: Int, _ record: NotificationRecord, _ tampering: Tampering, in environment: AppStoreEnvironment
    ) throws -> String {
        let writer = writer(environment)
        guard tampering.isNone else { return try writer.text(record, tampering) }
        if let seal = record.seal { return try writer.text(record, seal) }
        let seal = try writer.seal(record)
        // Two may sign at once. The first one to come back is right.
        let kept = state.withLock { state in
            if let earlier = state[environment].notifications[number].seal { return earlier }
            state[environment].notifications[number].seal = seal
            return seal
        }
        return try writer.text(record, kept)
    }

    func writer(_ environment: AppStoreEnvironment) -> NotificationWriter {
        NotificationWriter(
            authority: authority, app: configuration.app, environment: environment,
            namesAppAppleID: configuration[environment].namesAppAppleID)
    }
}
