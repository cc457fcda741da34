package import Foundation
internal import Synchronization

// The simulator as the responder for its own certificates.

extension SimulatorCore {
    /// The real time, the simulated one, and all between: by either clock somebody may ask.
    package var times: ClosedRange<Date> {
        let (real, simulated) = (Date(), now)
        return min(real, simulated)...max(real, simulated)
    }

    /// Says how questions are answered from now on.
    package func setRevocation(_ setting: RevocationSetting) throws(ControlFailure) {
        // By both clocks in the past.
        let modes: [String: OCSPService.Mode] = [
            "good": .good, "revoked": .revoked(at: times.lowerBound), "unknown": .unknown, "expired": .expired,
            "slow": .slow(seconds: setting.seconds ?? 10), "wrong": .wrong, "unreachable": .unreachable,
        ]
        guard let mode = modes[setting.status] else {
            throw ControlFailure(
                400, "invalid_request", "status is one of \(modes.keys.sorted().joined(separator: ", "))",
                param: "status")
        }
        let leaf = OCSPService.Subject.leaf(generation: authority.current.number)
        switch setting.certificate {
        case nil, "both":
            ocsp.withLock {
                $0.defaultMode = mode
                $0.modes = [:]
            }
        case "leaf": ocsp.withLock { $0.modes[leaf] = mode }
        case "intermediate": ocsp.withLock { $0.modes[.intermediate] = mode }
        default:
            throw ControlFailure(
                400, "invalid_request", "certificate is leaf, intermediate or both", param: "certificate")
        }
    }

    /// Answers a question about revocation as the responder is told to.
    func revocationAnswer(_ body: (OCSPService, ClosedRange<Date>) -> OCSPService.Reply) -> HTTPAnswer {
        let reply = body(ocsp.withLock { $0 }, times)
        guard let bytes = reply.body else {
            var dropped = HTTPAnswer(status: 500)
            dropped.damage = .dropped
            return dropped
        }
        var answer = HTTPAnswer(status: 200, contentType: "application/ocsp-response", body: Array(bytes))
        answer.delay = reply.delay
        return answer
    }
}
