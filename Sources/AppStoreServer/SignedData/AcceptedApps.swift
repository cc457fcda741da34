public import AppStoreModels
internal import AppStoreTrust

/// An app and the environments whose data are accepted for it.
public struct App: Sendable, Hashable {
    /// The app's bundle identifier.
    public let bundleID: String

    /// The app's Apple ID, a number. In production, notifications, app transactions and retention requests contain it
    /// and must match. Retention requests contain no other identifier, so without it none is accepted in production.
    public let appAppleID: Int64?

    /// The environments whose data are accepted. App Review buys in the sandbox, so most servers accept both.
    public let environments: Set<AppStoreEnvironment>

    /// Creates an app.
    public init(
        bundleID: String, appAppleID: Int64? = nil,
        environments: Set<AppStoreEnvironment> = [.production, .sandbox]
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.environments = environments
    }
}

/// The apps whose data a verifier accepts.
@nonexhaustive
public enum AcceptedApps: Sendable, Hashable {
    /// Only these apps, each in its environments. An app may be listed more than once, with different environments.
    case only([App])
    /// Any app, in these environments. For tools that display data, not for servers that act on them.
    case any(Set<AppStoreEnvironment>)

    /// Throws if a payload is not for one of the apps, or is from another environment.
    func requireMatch(_ audience: Audience) throws(VerificationError) {
        let environments =
            switch self {
            case .any(let environments): environments
            case .only(let apps): try Self.match(audience, apps)
            }
        guard let environment = audience.environment else {
            throw VerificationError(
                .wrongEnvironment,
                "no part of the payload that this version supports names an environment; try a newer version")
        }
        guard environments.contains(environment) else {
            throw VerificationError(
                .wrongEnvironment, "signed for \(environment.rawValue.prefix(32)), which is not configured")
        }
    }

    /// Returns the accepted environments of the app that the payload names.
    private static func match(
        _ audience: Audience, _ apps: [App]
    ) throws(VerificationError) -> Set<AppStoreEnvironment> {
        let isProduction = audience.environment == .production
        switch audience.app {
        case .bundle(let bundleId, let appleIDRule):
            // For example in a notification with a part that this version does not know.
            guard let bundleId else {
                throw VerificationError(
                    .wrongApp, "no part of the payload that this version supports names an app; try a newer version")
            }
            // RFC 7515 §5.3: compare code points; `==` compares canonical equivalence.
            guard let app = app(of: apps, in: audience.environment, where: { $0.bundleID.isExactly(bundleId) })
            else {
                throw VerificationError(
                    .wrongApp, "signed for the bundle \(bundleId.prefix(255)), which is not configured")
            }
            // Only production data contain the Apple ID.
            if isProduction, case .carried(let carried) = appleIDRule, let expected = app.appAppleID,
                carried != expected
            {
                throw VerificationError(.wrongApp, "signed for another app Apple ID than \(expected)")
            }
            return app.environments
        case .appAppleID(let appAppleId) where isProduction:
            let app = app(of: apps, in: .production) { $0.appAppleID != nil && $0.appAppleID == appAppleId }
            guard let app else {
                throw VerificationError(.wrongApp, "signed for an app Apple ID that is not configured")
            }
            return app.environments
        // Nothing identifies the app: the Apple ID counts only in production.
        case .appAppleID, .none: return apps.reduce(into: []) { $0.formUnion($1.environments) }
        }
    }

    /// Returns the app that a payload names. If it is listed more than once, prefers the entry with the payload's
    /// environment.
    private static func app(
        of apps: [App], in environment: AppStoreEnvironment?, where isNamed: (App) -> Bool
    ) -> App? {
        let match = environment.flatMap { environment in
            apps.first { isNamed($0) && $0.environments.contains(environment) }
        }
        return match ?? apps.first(where: isNamed)
    }
}
