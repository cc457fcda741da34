internal import AppStoreModels
internal import Basics
internal import Ledger
internal import LedgerServices

/// The authenticated client and its permissions. A class, since every step of a request copies the context.
final class Principal: Sendable {
    /// The name of the key.
    let name: String
    let scopes: Set<APIScope>
    /// The apps that the key may access; nil for all.
    let apps: Set<String>?
    /// The environments that the key may access; nil for all.
    let environments: Set<AppStoreEnvironment>?
    /// The only customer that the key may access; nil for all.
    let customer: String?

    /// The app transaction ID of the customer's session; nil if the app's backend signed the customer token.
    let appTransactionID: String?

    /// The account token of the customer's purchases, if the app's backend names one that is not the customer's
    /// identifier.
    let appAccountToken: String?

    /// The rate meter of the customer; nil without a limit.
    let meter: RateMeter?

    /// Whether the key ships in an app, where everybody can read it.
    var isPublic: Bool { customer != nil }

    init(
        name: String, scopes: Set<APIScope>, apps: Set<String>? = nil, environments: Set<AppStoreEnvironment>? = nil,
        customer: String? = nil, appTransactionID: String? = nil, appAccountToken: String? = nil,
        meter: RateMeter? = nil
    ) {
        (self.name, self.scopes, self.apps, self.environments) = (name, scopes, apps, environments)
        (self.customer, self.meter) = (customer, meter)
        (self.appTransactionID, self.appAccountToken) = (appTransactionID, appAccountToken)
    }

    /// Whether the key has access to an app and environment.
    func maySee(_ appEnvironment: AppEnvironment) -> Bool {
        (apps?.contains(appEnvironment.bundleID) ?? true)
            && (environments?.contains(appEnvironment.environment) ?? true)
    }

    /// Whether the key is for all apps and environments.
    var isUnlimited: Bool { apps == nil && environments == nil }

    /// The apps and environments as a text: equal for keys with the same limits, empty for a key without limits. It has
    /// no spaces.
    var audience: String {
        guard !isUnlimited else { return "" }
        let limits: [[String]?] = [apps?.sorted(), environments?.map(\.rawValue).sorted()]
        return limits.map { $0?.map(\.percentEncoded).joined(separator: ",") ?? "*" }.joined(separator: "/")
    }

    /// Whether this key includes all given apps and environments; nil means all.
    func covers(apps others: Set<String>?, environments otherEnvironments: Set<AppStoreEnvironment>?) -> Bool {
        if let apps, !(others?.isSubset(of: apps) ?? false) { return false }
        if let environments, !(otherEnvironments?.isSubset(of: environments) ?? false) { return false }
        return true
    }

    /// Throws 403 unless the key is for all apps and environments.
    func requireAllApps() throws(APIFailure) {
        guard isUnlimited else {
            throw APIFailure.forbidden("Only a key for all apps and environments may see this.")
        }
    }

    /// Throws 403 if the request belongs to a session.
    func refuseSession() throws(APIFailure) {
        guard appTransactionID != nil else { return }
        throw APIFailure.forbidden("A session from an app transaction cannot do this: sign the customer in first.")
    }
}
