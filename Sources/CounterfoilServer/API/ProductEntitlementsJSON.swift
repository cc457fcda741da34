internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import Basics
internal import Entitlements

extension ServerCore {
    /// Writes what only an app needs: the account to buy for, and what each product gives, since it cannot ask later. A
    /// backend knows both.
    func writeMembersForApps(of scope: Scope, for principal: Principal, to json: inout JSONWriter) {
        if let token = principal.appAccountToken { json.member("app_account_token", token) }
        guard principal.isPublic, let catalogue = configuration.app(scope.bundleId)?.catalogue else { return }
        var entitlements: [String: [String]] = [:]
        for (name, products) in catalogue.entitlements {
            for product in products { entitlements[product, default: []].append(name) }
        }
        json.member("product_entitlements", entitlements.sorted { $0.key < $1.key }) { json, product in
            json.object { json in
                json.member("product_id", product.key)
                json.member("entitlements", product.value.sorted()) { $0.string($1) }
                if let duration = catalogue.durations[product.key] {
                    json.member("duration_ms", duration.leastMilliseconds)
                }
            }
        }
    }
}

extension Period {
    /// The shortest that it can be: a device that counts in milliseconds never gives more than the server.
    fileprivate var leastMilliseconds: Int64 {
        let day: Int64 = 86_400_000
        let count = Int64(count)
        return switch unit {
        case .day: count * day
        case .week: count * 7 * day
        // Of twelve months in a row one is short at most once.
        case .month: (count / 12 * 365 + count % 12 * 30 - (count % 12 == 0 ? 0 : 2)) * day
        case .year: count * 365 * day
        }
    }
}
