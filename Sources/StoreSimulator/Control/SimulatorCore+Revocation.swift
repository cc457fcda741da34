package import Foundation
internal import Synchronization

// The simulator as OCSP responder for its own certificates.

extension SimulatorCore {
    /// The range from the real to the simulated time, or the reverse. Clients may use either clock.
    package var times: ClosedRange<Date> {
        let (real, simulated) = (Date(), now)
        return min(real, simulated)...max(real, simulated)
    }

    /// Sets how OCSP requests are answered from now on.
    package func setRevocation(_ setting: RevocationSetting) throws(ControlFailure) {
        let delays = 0...OCSPService.maximumDelay
        guard setting.seconds.map({ delays.contains($0) }) ?? true else {
            throw ControlFailure(invalid: "seconds is 0 to \(Int(OCSPService.maximumDelay))", param: "seconds")
        }
        // The revocation date must be in the past by both clocks.
        let modes: [String: OCSPService.Mode] = [
            "good": .good, "revoked": .revoked(at: times.lowerBound), "unknown": .unknown, "expired": .expired,
            "slow": .slow(seconds: setting.seconds ?? 10), "wrong": .wrong, "unreachable": .unreachable,
        ]
        guard let mode = modes[setting.status] else {
            throw ControlFailure(
                invalid: "status is one of \(modes.keys.sorted().joined(separator: ", "))", param: "status")
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
            throw ControlFailure(invalid: "certificate is leaf, intermediate or both", param: "certificate")
        }
    }

    /// Converts the reply of the OCSP responder to an HTTP response. Without a reply, the connection is dropped.
    func revocationResponse(_ body: (OCSPService, ClosedRange<Date>) -> OCSPService.Reply) -> SimulatorResponse {
        let reply = body(ocsp.withLock { $0 }, times)
        guard let bytes = reply.body else { return .dropped }
        var response = SimulatorResponse(status: 200, contentType: "application/ocsp-response", body: Array(bytes))
        response.delay = reply.delay
        return response
    }
}
