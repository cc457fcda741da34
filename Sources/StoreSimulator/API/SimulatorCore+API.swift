package import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Foundation
internal import Synchronization

extension SimulatorCore {
    /// Responds to a request to one of the App Store's APIs and applies the active faults.
    package func respond(
        to request: APIRequest, authorization: String?, in environment: AppStoreEnvironment
    ) -> SimulatorResponse {
        applyingFaults(to: request.endpoint.name, in: environment) { effects in
            do throws(APIFailure) {
                try bearer.check(authorization, now: Date())
                if effects.contains(.changeHistory) {
                    change(environment) { store, _ in store.moveTransactionToEnd(for: request) }
                }
                return try self.respond(to: request, Tampering(effects), in: environment)
            } catch {
                return .failure(error)
            }
        }
    }

    private func respond(
        to request: APIRequest, _ tampering: Tampering, in environment: AppStoreEnvironment
    ) throws(APIFailure) -> SimulatorResponse {
        if request.endpoint == .setRealtimeURL { relayPerformanceTests() }
        let response = try change(environment) { store, now throws(APIFailure) in
            if store.settings.enforcesRateLimits { try limits.check(request.endpoint, in: environment, now: now) }
            return try store.respond(to: request, at: now)
        }
        guard let body = response.body else { return SimulatorResponse(status: response.status) }
        do {
            return .json(try rendering(tampering, in: environment).bytes(body), status: response.status)
        } catch {
            throw APIFailure(.generalInternal, "the store could not sign: \(error)")
        }
    }

    /// Returns the closures that sign the payloads of a response.
    private func rendering(_ tampering: Tampering, in environment: AppStoreEnvironment) -> APIRendering {
        let writer = writer(environment)
        return APIRendering(
            transaction: { try self.sign($0.jsonBytes(), tampering, writer) },
            renewalInfo: { try self.sign($0.jsonBytes(), tampering, writer) },
            appTransaction: { try self.sign($0.jsonBytes(), tampering, writer) },
            notification: { try self.text($0, tampering, in: environment) })
    }

    private func sign(_ payload: [UInt8], _ tampering: Tampering, _ writer: NotificationWriter) throws -> String {
        // With a running clock, each payload has a different signed date, so a cache would not help.
        guard tampering.isNone, configuration.clock.isFrozen else { return try writer.sign(payload, tampering) }
        return try signedTexts.text(of: payload, by: authority.signer)
    }

    /// Responds to a request to a route with `body`, unless a fault replaces the response. Applies the other faults.
    func applyingFaults(
        to route: String, in environment: AppStoreEnvironment, _ body: ([Fault.Effect]) -> SimulatorResponse
    ) -> SimulatorResponse {
        let (effects, now) = state.withLock { state in
            let now = state.clock.now()
            return (state.faults.takeEffects(["route:*", "route:\(route)"], in: environment, at: now), now)
        }
        // The pages show how often a fault was applied. A response that it replaces changes nothing else.
        if !effects.isEmpty { watch.signal() }
        var (delay, isTruncated): (TimeInterval, Bool) = (0, false)
        var replacement: SimulatorResponse?
        for effect in effects {
            switch effect {
            case .delay(let seconds): delay += seconds
            case .truncate: isTruncated = true
            case .drop, .unreachable: replacement = .dropped
            case .status(let code): replacement = SimulatorResponse(status: code)
            case .error(let code): replacement = .error(code)
            case .rateLimit(let seconds):
                let end = (now + seconds).millisecondsSince1970
                replacement = .failure(APIFailure(.rateLimitExceeded, "a simulated fault", retryAfter: end))
            default: break
            }
        }
        var response = replacement ?? body(effects)
        response.delay = delay
        if isTruncated { response.damage = .truncated }
        return response
    }
}

extension SimulatorResponse {
    /// Returns the response for the effect `error`: a status of `verifyReceipt`, or an error of the API.
    fileprivate static func error(_ code: Int64) -> SimulatorResponse {
        guard Fault.isReceiptStatus(code) else {
            return failure(APIFailure(APIErrorCode(rawValue: code), "a simulated fault"))
        }
        let retry = code >= 21_100 ? #","is-retryable":true"# : ""
        return json(Array(#"{"status":\#(code)\#(retry)}"#.utf8))
    }

    /// Returns an error response in the format of Apple's servers.
    static func failure(_ failure: APIFailure) -> SimulatorResponse {
        guard let code = failure.code else { return SimulatorResponse(status: failure.status) }
        let payload = ErrorPayload(errorCode: code, errorMessage: failure.message)
        // Encoding these two members cannot fail.
        let body = (try? JSONEncoder.sorted.encode(payload)) ?? Data("{\"errorCode\":\(code.rawValue)}".utf8)
        var response = SimulatorResponse.json(Array(body), status: failure.status)
        if let retryAfter = failure.retryAfter { response.headers.append(("Retry-After", String(retryAfter))) }
        return response
    }
}
