internal import AppStoreModels
internal import ConfigurationReading

extension StoreCommand {
    /// Throws for a value that Apple does not document, which the App Store would never sign. The overrides of a
    /// trigger and the fault `unknownValues` sign such values on purpose.
    func checkValues() throws(StoreError) {
        switch self {
        case .requestRefund(_, _, let reason, _, _):
            try Self.check(
                reason, "reason",
                among: [.unintendedPurchase, .fulfillmentIssue, .unsatisfiedWithPurchase, .legal, .other])
        case .approveRefund(_, _, let reason, _): try Self.check(reason, "reason", among: [.other, .issueWithApp])
        case .answerConsumptionRequest(_, _, let preference, _):
            try Self.check(preference, "preference", among: RefundPreference.documented)
        case .extendRenewal(_, _, _, let reason):
            try Self.check(
                reason, "reason", among: [.undeclared, .customerSatisfaction, .other, .serviceIssueOrOutage])
        case .createExternalPurchaseToken(let type):
            try Self.check(type, "tokenType", among: [.services, .acquisition, .coreTechnology])
        default: break
        }
    }

    /// Throws if a value is not one of those that Apple documents. The error names the value and these.
    static func check<Value: OpenEnumeration>(
        _ value: Value?, _ name: String, among documented: [Value]
    ) throws(StoreError) {
        guard let value, !documented.contains(value) else { return }
        let given = (value.rawValue as? String).map { quoted($0) } ?? value.description
        let names = documented.map(\.description).joined(separator: ", ")
        throw StoreError(.invalidArgument, "\(name): \(given) is none of \(names)")
    }
}

extension RefundPreference {
    static let documented: [RefundPreference] = [.decline, .grantFull, .grantProrated]
}
