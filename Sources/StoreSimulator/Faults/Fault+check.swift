internal import AppStoreModels
internal import AppStoreServer
internal import ConfigurationReading

extension Fault {
    /// Throws if the effect in the JSON of a fault has an unknown name, or not exactly one name.
    static func checkEffect(_ json: JSONValue) throws(ControlFailure) {
        guard case .object(let members) = json, let effect = members["effect"] else { return }
        try effect.checkName(
            of: "effect", at: "effect", among: Effect.names, "counterfoil simulator fault --help lists them")
    }

    /// Throws if the target is unknown, the effect cannot apply to it, or a value is out of range.
    func check() throws(SimulatorError) {
        try checkTarget()
        if let problem { throw SimulatorError(.invalidFault, problem) }
    }

    private var problem: String? {
        if !isPossible { return "this effect cannot apply to \(target)" }
        if let environment, environment != .production, environment != .sandbox {
            return "\(quoted(environment.rawValue)) is neither Production nor Sandbox"
        }
        if let probability, !(0...1).contains(probability) { return "a probability is 0 to 1" }
        if let count, count < 1 { return "a count is at least 1" }
        return switch effect {
        case .delay(let seconds): (0...3600).contains(seconds) ? nil : "a delay is 0 to 3600 seconds"
        case .rateLimit(let seconds), .clockSkew(let seconds):
            abs(seconds) <= 1e9 ? nil : "at most 1,000,000,000 seconds"
        case .status(let status): (200...599).contains(status) ? nil : "a status is 200 to 599"
        case .error(let code) where target == "route:verifyReceipt":
            Self.isReceiptStatus(code) ? nil : "\(code) is not a status of verifyReceipt such as 21005 or 21100"
        case .error(let code):
            APIErrorCode(rawValue: code).httpStatus == nil ? "\(code) is not one of Apple's error codes" : nil
        default: nil
        }
    }

    /// Whether a number is a status with which `verifyReceipt` refuses a request. Unlike error codes, all have five
    /// digits.
    static func isReceiptStatus(_ code: Int64) -> Bool {
        // The App Store no longer sends 21001. A response with 21006 contains a receipt.
        let isRetired = code == 21_001 || code == 21_006
        return (21_000...21_010).contains(code) && !isRetired || (21_100...21_199).contains(code)
    }

    /// Whether the fault applies to API responses; otherwise it applies to notifications.
    var isForRoutes: Bool { target.hasPrefix("route:") }

    private func checkTarget() throws(SimulatorError) {
        let parts = target.split(separator: ":", maxSplits: 1).map(String.init)
        let (kind, name) = (parts.first ?? "", parts.count == 2 ? parts[1] : "")
        let known: [String]
        let advice: String
        switch kind {
        case "route":
            known = AppStoreEndpoint.all.map(\.name) + ["verifyReceipt"]
            advice = "counterfoil api --help lists them"
        case "notification":
            known =
                NotificationKind.all.flatMap { [$0.name, $0.type.rawValue] } + NotificationTypeV1.allCases.map(\.name)
            advice = "counterfoil simulator trigger --list lists them"
        default:
            throw SimulatorError(
                .invalidFault, "a target is route:NAME, notification:TYPE[.SUBTYPE], or either with * for all")
        }
        guard name == "*" || known.contains(name) else {
            throw SimulatorError(
                .invalidFault, SpellingSuggestion.message(unknown: name, of: kind, among: known, or: advice))
        }
    }

    /// Whether the effect can apply to the target.
    private var isPossible: Bool {
        switch effect {
        case .delay, .drop, .unreachable, .truncate: true
        case .duplicate, .reorder: !isForRoutes
        case .status, .error: isForRoutes
        case .changeHistory, .rateLimit: isForRoutes && target != "route:verifyReceipt"
        case .invalidSignature, .wrongChain, .unknownValues, .extraFields, .clockSkew: target != "route:verifyReceipt"
        }
    }
}
