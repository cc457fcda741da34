internal import AppStoreModels
internal import AppStoreServer
internal import Foundation

extension Fault {
    /// Refuses what could never strike, or would do harm.
    func check() throws(SimulatorError) {
        try checkTarget()
        guard isPossible else {
            throw SimulatorError("invalid_fault", "that cannot happen to \(target)")
        }
        if let probability, !(0...1).contains(probability) {
            throw SimulatorError("invalid_fault", "a probability is 0 to 1")
        }
        if let count, count < 1 { throw SimulatorError("invalid_fault", "a count is at least 1") }
        switch effect {
        case .delay(let seconds):
            guard (0...3600).contains(seconds) else {
                throw SimulatorError("invalid_fault", "a delay is 0 to 3600 seconds")
            }
        case .rateLimit(let seconds), .clockSkew(let seconds):
            guard abs(seconds) <= 1e9 else { throw SimulatorError("invalid_fault", "at most 1,000,000,000 seconds") }
        case .status(let status):
            guard (200...599).contains(status) else { throw SimulatorError("invalid_fault", "a status is 200 to 599") }
        case .error(let code):
            guard APIErrorCode(rawValue: code).httpStatus != nil else {
                throw SimulatorError("invalid_fault", "\(code) is not one of Apple's error codes")
            }
        default: break
        }
    }

    /// Whether it befalls answers; otherwise it befalls notifications.
    var isForRoutes: Bool { target.hasPrefix("route:") }

    private func checkTarget() throws(SimulatorError) {
        let parts = target.split(separator: ":", maxSplits: 1).map(String.init)
        let name = parts.count == 2 ? parts[1] : ""
        switch parts.first {
        case "route":
            let isKnown = name == "*" || name == "verifyReceipt" || AppStoreEndpoint.all.contains { $0.name == name }
            if isKnown { return }
            throw SimulatorError("invalid_fault", "there is no route \(name); counterfoil api --help lists them")
        case "notification":
            let isKnown =
                NotificationKind.all.contains { $0.name == name || $0.type.rawValue == name }
                || NotificationTypeV1.allCases.contains { $0.name == name }
            if name == "*" || isKnown { return }
            throw SimulatorError(
                "invalid_fault", "there is no notification \(name); counterfoil simulator trigger --list lists them")
        default:
            throw SimulatorError(
                "invalid_fault", "a target is route:NAME, notification:TYPE[.SUBTYPE], or either with * for all")
        }
    }

    /// Whether the effect makes a difference to the target.
    private var isPossible: Bool {
        switch effect {
        case .delay, .drop, .unreachable, .truncate: true
        case .duplicate, .reorder: !isForRoutes
        case .status: isForRoutes
        case .revise: isForRoutes && target != "route:verifyReceipt"
        case .error, .rateLimit: isForRoutes && target != "route:verifyReceipt"
        case .invalidSignature, .wrongChain, .unknownValues, .extraFields, .clockSkew: target != "route:verifyReceipt"
        }
    }
}
