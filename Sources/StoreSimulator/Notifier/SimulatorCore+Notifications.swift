package import AppStoreModels
internal import Foundation
internal import NIOCore
internal import Synchronization

extension SimulatorCore {
    /// Makes an attempt to send a notification and records the result.
    func send(_ attempt: DeliveryAttempt) async {
        for effect in attempt.effects {
            switch effect {
            case .drop: return record(attempt, .init(outcome: .noResponse), isFinal: true)
            case .unreachable: return record(attempt, .init(outcome: .noResponse))
            case .delay(let seconds):
                do { try await Task.sleep(for: .seconds(seconds)) } catch { return reschedule(attempt) }
            default: break
            }
        }
        let result: DeveloperServerClient.Result
        do {
            result = await post(try body(of: attempt), attempt)
        } catch {
            // The store could not sign. The receiver is not the cause.
            result = .init(outcome: .other)
        }
        // The calling task was cancelled, so the failure does not count as an attempt.
        if Task.isCancelled, result.outcome != .success { return reschedule(attempt) }
        record(attempt, result)
    }

    private func post(_ body: ByteBuffer, _ attempt: DeliveryAttempt) async -> DeveloperServerClient.Result {
        if attempt.effects.contains(.duplicate) {
            _ = await developerServer.post(body, to: attempt.url, timeout: attempt.timeout)
        }
        return await developerServer.post(body, to: attempt.url, timeout: attempt.timeout)
    }

    /// Returns the body to post, with the changes of faults.
    private func body(of attempt: DeliveryAttempt) throws -> ByteBuffer {
        let (tampering, isCut) = (Tampering(attempt.effects), attempt.effects.contains(.truncate))
        if let contents = attempt.version1 {
            let body = try version1Body(contents, tampering)
            return ByteBuffer(bytes: isCut ? body.prefix(body.count / 2) : body[...])
        }
        let text = try text(attempt.number, attempt.record, tampering, in: attempt.environment, epoch: nil)
        return DeveloperServerClient.body(isCut ? String(text.prefix(text.utf8.count / 2)) : text)
    }

    /// Returns the body of a notification of version 1. Its receipt is signed each time, as by Apple.
    private func version1Body(_ contents: Version1Contents, _ tampering: Tampering) throws -> [UInt8] {
        var receipt = try receiptAuthority().sign(contents.latest.receipt)
        // The receipt is the only signed part of the body.
        if tampering.breaksSignature || tampering.usesWrongChain, let last = receipt.indices.last { receipt[last] ^= 1 }
        let password = configuration.sharedSecrets.min()
        let json = contents.json(password: password, receipt: receipt.base64EncodedString())
        return try tampering.payload(Array(json.utf8))
    }

    /// Returns the body that is posted for a notification. For version 2 it is always the same; for version 1 it has
    /// the current contents.
    package func body(_ number: Int, in environment: AppStoreEnvironment) throws -> [UInt8] {
        let contents = read(environment) { store, now in
            store.notifications.indices.contains(number)
                ? store.version1Contents(of: store.notifications[number], at: now) : nil
        }
        if let contents { return try version1Body(contents, Tampering()) }
        return Array(DeveloperServerClient.body(try text(number, in: environment)).readableBytesView)
    }

    private func record(_ attempt: DeliveryAttempt, _ result: DeveloperServerClient.Result, isFinal: Bool = false) {
        change(attempt.environment) { store, _ in
            store.recordAttempt(
                attempt.number, result.outcome, status: result.status, answer: result.answer, isFinal: isFinal,
                isManual: attempt.isManual, at: attempt.date)
        }
    }

    private func reschedule(_ attempt: DeliveryAttempt) {
        change(attempt.environment) { store, _ in store.reschedule(attempt, at: attempt.date) }
    }

    /// Returns the text of a notification. It is the same each time, unless faults change it.
    package func text(
        _ number: Int, _ tampering: Tampering = Tampering(), in environment: AppStoreEnvironment
    ) throws -> String {
        let found = state.withLock { state -> (NotificationRecord, Int)? in
            let notifications = state[environment].notifications
            return notifications.indices.contains(number) ? (notifications[number], state.epoch) : nil
        }
        guard let (record, epoch) = found else {
            throw SimulatorError(.unknownNotification, "there is no notification \(number)")
        }
        return try text(number, record, tampering, in: environment, epoch: epoch)
    }

    /// - Parameter epoch: The epoch of the state that contained `record`; nil if the state cannot have been replaced
    ///   since.
    private func text(
        _ number: Int, _ record: NotificationRecord, _ tampering: Tampering, in environment: AppStoreEnvironment,
        epoch: Int?
    ) throws -> String {
        let writer = writer(environment)
        guard tampering.isNone else { return try writer.text(record, tampering) }
        if let signatures = record.signatures, writer.canAssemble(signatures) {
            return try writer.text(record, signatures)
        }
        let (signatures, text) = try writer.sign(record)
        // Two tasks can sign the same notification at once. The signatures of the first to finish are stored and used
        // by both.
        let earlier = state.withLock { state -> NotificationRecord.Signatures? in
            guard epoch.map({ $0 == state.epoch }) ?? true,
                state[environment].notifications.indices.contains(number)
            else { return nil }
            if let earlier = state[environment].notifications[number].signatures, writer.canAssemble(earlier) {
                return earlier
            }
            state[environment].notifications[number].signatures = signatures
            return nil
        }
        return try earlier.map { try writer.text(record, $0) } ?? text
    }

    func writer(_ environment: AppStoreEnvironment) -> NotificationWriter {
        NotificationWriter(authority: authority, app: configuration.app, environment: environment)
    }
}
