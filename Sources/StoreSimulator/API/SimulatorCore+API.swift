package import AppStoreModels
internal import AppStoreServer
internal import Foundation
internal import Synchronization

extension SimulatorCore {
    /// Answers a request to one of the App Store's APIs, as the faults let it.
    package func answer(
        _ request: APIRequest, authorization: String?, in environment: AppStoreEnvironment
    ) -> HTTPAnswer {
        let effects = strike(["route:*", "route:\(request.endpoint.name)"], in: environment)
        let fate = RouteFate(effects, now: now)
        if let answer = fate.answer { return answer }
        var answer: HTTPAnswer
        do throws(APIFailure) {
            try bearer.check(authorization, now: Date())
            if effects.contains(.revise) { change(environment) { store, _ in store.revise(for: request) } }
            answer = try self.answer(request, Tampering(effects), in: environment)
        } catch {
            answer = .failure(error)
        }
        fate.spoil(&answer)
        return answer
    }

    private func answer(
        _ request: APIRequest, _ tampering: Tampering, in environment: AppStoreEnvironment
    ) throws(APIFailure) -> HTTPAnswer {
        if request.endpoint == .setRealtimeURL { relayPerformanceTests() }
        let answer = try change(environment) { store, now throws(APIFailure) in
            if store.settings.enforcesRateLimits { try limits.check(request.endpoint, in: environment, now: now) }
            return try store.answer(request, at: now)
        }
        guard let body = answer.body else { return HTTPAnswer(status: answer.status) }
        do {
            return .json(try rendering(tampering, in: environment).bytes(body), status: answer.status)
        } catch {
            throw APIFailure(.generalInternal, "the store could not sign: \(error)")
        }
    }

    /// Signs what an answer leaves to be signed.
    private func rendering(_ tampering: Tampering, in environment: AppStoreEnvironment) -> APIRendering {
        let writer = writer(environment)
        return APIRendering(
            transaction: { try self.sign($0.jsonBytes(), tampering, writer) },
            renewalInfo: { try self.sign($0.jsonBytes(), tampering, writer) },
            appTransaction: { try self.sign($0.jsonBytes(), tampering, writer) },
            notification: { try self.text($0, tampering, in: environment) })
    }

    private func sign(_ payload: [UInt8], _ tampering: Tampering, _ writer: NotificationWriter) throws -> String {
        // Where time passes nothing is signed twice, as each text says when it was signed.
        guard tampering.isNone, configuration.clock.isFrozen else { return try writer.sign(payload, tampering) }
        let signer = authority.current.signer
        return try signedTexts.text(of: payload, generation: signer.generation) { try signer.sign(json: $0) }
    }

    func strike(_ targets: [String], in environment: AppStoreEnvironment) -> [Fault.Effect] {
        state.withLock { state in
            state.faults.isEmpty ? [] : state.faults.strike(targets, in: environment, at: state.clock.now())
        }
    }
}

/// What faults do to the answer of a route.
struct RouteFate {
    /// The answer that takes the place of the real one.
    var answer: HTTPAnswer?
    private var delay: TimeInterval = 0
    private var damage = HTTPAnswer.Damage.none

    init(_ effects: [Fault.Effect], now: Date) {
        for effect in effects {
            switch effect {
            case .delay(let seconds): delay += seconds
            case .truncate: damage = .truncated
            case .drop, .unreachable:
                var dropped = HTTPAnswer(status: 500)
                dropped.damage = .dropped
                answer = dropped
            case .status(let code): answer = HTTPAnswer(status: code)
            case .error(let code): answer = .failure(APIFailure(APIErrorCode(rawValue: code), "a simulated fault"))
            case .rateLimit(let seconds):
                let end = Int64(((now + seconds).timeIntervalSince1970 * 1000).rounded())
                answer = .failure(APIFailure(.rateLimitExceeded, "a simulated fault", retryAfter: end))
            default: break
            }
        }
        answer?.delay = delay
        if damage == .truncated { answer?.damage = .truncated }
    }

    func spoil(_ answer: inout HTTPAnswer) {
        answer.delay = delay
        answer.damage = damage
    }
}

extension HTTPAnswer {
    /// An error as Apple's servers give it.
    static func failure(_ failure: APIFailure) -> HTTPAnswer {
        guard let code = failure.code else { return HTTPAnswer(status: failure.status) }
        let payload = ErrorPayload(errorCode: code, errorMessage: failure.message)
        // Two plain members: there is nothing in it that could not be written.
        let body = (try? JSONEncoder().encode(payload)) ?? Data("{\"errorCode\":\(code.rawValue)}".utf8)
        var answer = HTTPAnswer.json(Array(body), status: failure.status)
        if let retryAfter = failure.retryAfter { answer.headers.append(("Retry-After", String(retryAfter))) }
        return answer
    }
}
