package import AppStoreModels
internal import Foundation
internal import NIOCore
internal import Synchronization

extension SimulatorCore {
    /// Sends a notification once and notes how that ended.
    func send(_ attempt: DeliveryAttempt) async {
        for effect in attempt.effects {
            switch effect {
            case .drop: return note(attempt, .init(outcome: .noResponse), isFinal: true)
            case .unreachable: return note(attempt, .init(outcome: .noResponse))
            case .delay(let seconds):
                do { try await Task.sleep(for: .seconds(seconds)) } catch { return putBack(attempt) }
            default: break
            }
        }
        let result: Courier.Result
        do {
            result = await carry(try body(of: attempt), attempt)
        } catch {
            // Nothing that a receiver could have caused: the store could not sign.
            result = .init(outcome: .other)
        }
        // Whoever made time pass has given up, which is not the receiver's fault.
        if Task.isCancelled, result.outcome != .success { return putBack(attempt) }
        note(attempt, result)
    }

    private func carry(_ body: ByteBuffer, _ attempt: DeliveryAttempt) async -> Courier.Result {
        if attempt.effects.contains(.duplicate) {
            _ = await courier.send(body, to: attempt.url, timeout: attempt.timeout)
        }
        return await courier.send(body, to: attempt.url, timeout: attempt.timeout)
    }

    /// What is posted, as the faults have it.
    private func body(of attempt: DeliveryAttempt) throws -> ByteBuffer {
        let (tampering, isCut) = (Tampering(attempt.effects), attempt.effects.contains(.truncate))
        if let contents = attempt.version1 {
            let body = try version1Body(contents, tampering)
            return ByteBuffer(bytes: isCut ? body.prefix(body.count / 2) : body[...])
        }
        let text = try text(attempt.number, attempt.record, tampering, in: attempt.environment, epoch: nil)
        return Courier.body(isCut ? String(text.prefix(text.utf8.count / 2)) : text)
    }

    /// The body of a notification of version 1. Its receipt is signed anew each time, as Apple's is.
    private func version1Body(_ contents: Version1Contents, _ tampering: Tampering) throws -> [UInt8] {
        var receipt = try receiptAuthority().sign(contents.receipt)
        // Nothing else in it is signed.
        if tampering.breaksSignature || tampering.usesWrongChain, let last = receipt.indices.last { receipt[last] ^= 1 }
        let password = configuration.sharedSecrets.min()
        let json = contents.json(password: password, receipt: receipt.base64EncodedString())
        return try tampering.payload(Array(json.utf8))
    }

    /// The body that is posted for a notification: of version 2 always the same, of version 1 what it says now.
    package func body(_ number: Int, in environment: AppStoreEnvironment) throws -> [UInt8] {
        let contents = read(environment) { store, now in
            store.notifications.indices.contains(number)
                ? store.version1Contents(of: store.notifications[number], at: now) : nil
        }
        if let contents { return try version1Body(contents, Tampering()) }
        return Array(Courier.body(try text(number, in: environment)).readableBytesView)
    }

    private func note(_ attempt: DeliveryAttempt, _ result: Courier.Result, isFinal: Bool = false) {
        state.withLock {
            $0[attempt.environment].noteAttempt(
                attempt.number, result.outcome, status: result.status, answer: result.answer, isFinal: isFinal,
                isManual: attempt.isManual, at: attempt.date)
        }
    }

    private func putBack(_ attempt: DeliveryAttempt) {
        state.withLock { $0[attempt.environment].plan(attempt, at: attempt.date) }
    }

    /// The text of a notification: the same each time, unless a fault spoils it.
    package func text(
        _ number: Int, _ tampering: Tampering = Tampering(), in environment: AppStoreEnvironment
    ) throws -> String {
        let found = state.withLock { state -> (NotificationRecord, Int)? in
            let notifications = state[environment].notifications
            return notifications.indices.contains(number) ? (notifications[number], state.epoch) : nil
        }
        guard let (record, epoch) = found else {
            throw SimulatorError("unknown_notification", "there is no notification \(number)")
        }
        return try text(number, record, tampering, in: environment, epoch: epoch)
    }

    /// `epoch` is that of the state which the record comes from; nil where the state cannot have been replaced meanwhile.
    private func text(
        _ number: Int, _ record: NotificationRecord, _ tampering: Tampering, in environment: AppStoreEnvironment,
        epoch: Int?
    ) throws -> String {
        let writer = writer(environment)
        guard tampering.isNone else { return try writer.text(record, tampering) }
        if let seal = record.seal, writer.knows(seal) { return try writer.text(record, seal) }
        let (seal, text) = try writer.seal(record)
        // Two may sign at once. The first one to come back is right.
        let earlier = state.withLock { state -> NotificationRecord.Seal? in
            guard epoch.map({ $0 == state.epoch }) ?? true,
                state[environment].notifications.indices.contains(number)
            else { return nil }
            if let earlier = state[environment].notifications[number].seal, writer.knows(earlier) { return earlier }
            state[environment].notifications[number].seal = seal
            return nil
        }
        return try earlier.map { try writer.text(record, $0) } ?? text
    }

    func writer(_ environment: AppStoreEnvironment) -> NotificationWriter {
        NotificationWriter(authority: authority, app: configuration.app, environment: environment)
    }
}
