public import AppStoreModels
internal import AppStoreTrust

/// One app and the environments it accepts data from.
public struct App: Sendable, Hashable {
    /// The app's bundle identifier.
    public let bundleID: String

    /// The app's Apple ID, a number. In production, notifications, app transactions and retention requests carry it and
    /// must match; retention requests carry nothing else, so without it none is accepted in production.
    public let appAppleID: Int64?

    /// The environments whose data is accepted. App Review buys in the sandbox, so most servers accept both.
    public let environments: Set<AppStoreEnvironment>

    /// Names an app.
    public init(
        bundleID: String, appAppleID: Int64? = nil,
        environments: Set<AppStoreEnvironment> = [.production, .sandbox]
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.environments = environments
    }
}

/// Whose data a verifier accepts.
@nonexhaustive
public enum AcceptedApps: Sendable, Hashable {
    /// These apps, each from its environments. One may be listed more than once, with other environments each time.
    case only([App])
    /// Whatever the App Store signed, from these environments: for tools that look at data, not for servers that act on it.
    case any(Set<AppStoreEnvironment>)

    /// Refuses a payload that is not for one of the apps, then one from another environment.
    func requireMatch(_ audience: Audience) throws(VerificationError) {
        let environments =
            switch self {
            case .any(let environments): environments
            case .only(let apps): try Self.match(audience, apps)
            }
        guard let environment = audience.environment, environments.contains(environment) else {
            let name = audience.environment?.rawValue ?? "no environment"
            throw VerificationError(.wrongEnvironment, "signed for \(name.prefix(32)), which is not configured")
        }
    }

    /// The environments of the app that the payload names.
    private static func match(
        _ audience: Audience, _ apps: [App]
    ) throws(VerificationError) -> Set<AppStoreEnvironment> {
        let isProduction = audience.environment == .production
        switch audience.app {
        case .bundle(let bundleId, let appleIDRule):
            // As of a notification with a part that is newer than this version.
            guard let bundleId else {
                throw VerificationError(
                    .wrongApp, "it names no app in any part that this version knows; a newer version may know more")
            }
            // RFC 7515 §5.3: code point by code point, which `==` does not do.
            guard let app = app(of: apps, in: audience.environment, where: { $0.bundleID.isExactly(bundleId) })
            else {
                throw VerificationError(
                    .wrongApp, "signed for the bundle \(bundleId.prefix(255)), which is not configured")
            }
            // Only production data carries the Apple ID.
            if isProduction, case .carried(let carried) = appleIDRule, let expected = app.appAppleID,
                carried != expected
            {
                throw VerificationError(.wrongApp, "signed for another app Apple ID than \(expected)")
            }
            return app.environments
        case .appAppleID(let appAppleId):
            guard isProduction else { return apps.reduce(into: []) { $0.formUnion($1.environments) } }
            let app = app(of: apps, in: .production) { $0.appAppleID != nil && $0.appAppleID == appAppleId }
            guard let app else {
                throw VerificationError(.wrongApp, "signed for an app Apple ID that is not configured")
            }
            return app.environments
        case .none:
            return apps.reduce(into: []) { $0.formUnion($1.environments) }
        }
    }

    /// The app that a payload names. It may be listed more than once, with other environments each time: then the one with the
    /// payload's.
    private static func app(
        of apps: [App], in environment: AppStoreEnvironment?, where isNamed: (App) -> Bool
    ) -> App? {
        let suited = environment.flatMap { environment in
            apps.first { isNamed($0) && $0.environments.contains(environment) }
        }
        return suited ?? apps.first(where: isNamed)
    }
}
