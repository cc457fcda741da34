internal import AppStoreModels
internal import Basics
internal import ConfigurationReading
internal import HTTPTypes
internal import Ledger
internal import LedgerServices

/// The settings of an endpoint in a request. Omitted settings do not change; null stands for all.
struct WebhookSettings: JSONRequestBody {
    var url: String?
    var events: [String]??
    var payload: String?
    var apps, environments: [String]??

    enum CodingKeys: String, CodingKey, CaseIterable { case url, events, payload, apps, environments }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decodeIfPresent(String.self, forKey: .url)
        payload = try container.decodeIfPresent(String.self, forKey: .payload)
        func list(_ key: CodingKeys) throws -> [String]?? {
            container.contains(key) ? .some(try container.decodeIfPresent([String].self, forKey: key)) : nil
        }
        events = try list(.events)
        apps = try list(.apps)
        environments = try list(.environments)
    }

    var isEmpty: Bool { url == nil && events == nil && payload == nil && apps == nil && environments == nil }

    /// Applies the settings to a definition. Throws if one of them is invalid.
    ///
    /// - Parameter url: The result of ``checkedURL(_:)``.
    func apply(
        to definition: inout ServerConfiguration.Webhook, url: String?, _ served: Apps, _ principal: Principal
    ) throws(APIFailure) {
        if let url { definition.url = url }
        if let events { definition.events = try Self.checked(events) }
        if let payload {
            guard let known = ServerConfiguration.WebhookPayload(rawValue: payload) else {
                throw APIFailure(
                    "invalid_payload", payload, of: "payload",
                    isNoneOf: ServerConfiguration.WebhookPayload.allCases.map(\.rawValue))
            }
            definition.payload = known
        }
        if let apps { definition.apps = try Self.checked(apps, served, principal) }
        if let environments { definition.environments = try Self.checked(environments: environments, principal) }
    }

    /// Returns the URL, or nil if there is none. Throws if it is invalid. Only the configuration may allow private
    /// addresses.
    func checkedURL(_ lookups: HostLookups) async throws(APIFailure) -> String? {
        guard let url else { return nil }
        do throws(WebhookTarget.Refusal) {
            let target = try WebhookTarget(url, allowsHTTP: false)
            do throws(WebhookTarget.Refusal) {
                _ = try await target.addresses(allowsPrivate: false) { await lookups.addresses(of: $0) }
            } catch {
                // The host may have an address later. Every delivery checks the address.
                if error.code != .unresolved { throw error }
            }
            return target.url
        } catch {
            throw APIFailure(error.code.rawValue, "This url is refused: \(error.description).", parameter: "url")
        }
    }

    private static func checked(_ events: [String]?) throws(APIFailure) -> [String]? {
        guard let events else { return nil }
        guard (1...100).contains(events.count),
            events.allSatisfy({ $0.replacing("*", with: "_").isSettingName })
        else {
            throw APIFailure(
                "invalid_events", "`events` lists 1 to 100 event types such as subscription.renewed or subscription.*.",
                parameter: "events")
        }
        for event in events where !EventType.isKnown(event) {
            throw APIFailure(
                "unknown_event", .unknown("Unknown event type \(quoted(event))", event, among: EventType.all),
                parameter: "events")
        }
        return events
    }

    private static func checked(
        _ apps: [String]?, _ served: Apps, _ principal: Principal
    ) throws(APIFailure) -> Set<String>? {
        guard let apps else {
            guard principal.apps == nil else { throw notAllowed(principal, "apps") }
            return nil
        }
        let known = served.all.map(\.bundleID).filter { principal.apps?.contains($0) ?? true }
        let rule = "`apps` lists bundle IDs of the configuration"
        if let unknown = apps.first(where: { !known.containsExactly($0) }) {
            throw APIFailure(
                "unknown_app", .unknown("\(rule), not \(quoted(unknown))", unknown, among: known), parameter: "apps")
        }
        guard !apps.isEmpty else { throw APIFailure("unknown_app", "\(rule).", parameter: "apps") }
        return Set(apps)
    }

    private static func checked(
        environments: [String]?, _ principal: Principal
    ) throws(APIFailure) -> Set<AppStoreEnvironment>? {
        guard let environments else {
            guard principal.environments == nil else { throw notAllowed(principal, "environments") }
            return nil
        }
        let known: [AppStoreEnvironment] = [.production, .sandbox]
        let wanted = Set(environments.map { AppStoreEnvironment(named: $0) })
        if let unknown = environments.first(where: { !known.contains(AppStoreEnvironment(named: $0)) }) {
            throw APIFailure("unknown_environment", unknown, of: "environments", isNoneOf: known.map(\.rawValue))
        }
        guard !wanted.isEmpty else {
            throw APIFailure(
                "unknown_environment", "`environments` lists Production, Sandbox or both.", parameter: "environments")
        }
        guard principal.environments?.isSuperset(of: wanted) ?? true else {
            throw notAllowed(principal, "environments")
        }
        return wanted
    }

    private static func notAllowed(_ principal: Principal, _ parameter: String) -> APIFailure {
        APIFailure.forbidden("The key \(principal.name) does not have access to all of these.", parameter: parameter)
    }
}

/// The body of `POST /v1/webhooks`.
struct NewWebhook: JSONRequestBody {
    var name: String
    var settings: WebhookSettings

    enum CodingKeys: String, CodingKey, CaseIterable { case name }

    static let members = CodingKeys.allCases.map(\.rawValue) + WebhookSettings.members

    init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        settings = try WebhookSettings(from: decoder)
    }
}

/// The body of `PATCH /v1/webhooks/{name}`.
struct WebhookChange: JSONRequestBody {
    /// The maximum number of secrets of an endpoint.
    private static let maximumSecrets = 4

    var settings: WebhookSettings
    var enabled: Bool?
    var discardBacklog, addSecret: Bool
    /// The fingerprint of the secret to remove.
    var retireSecret: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case enabled
        case discardBacklog = "discard_backlog"
        case addSecret = "add_secret"
        case retireSecret = "retire_secret"
    }

    static let members = CodingKeys.allCases.map(\.rawValue) + WebhookSettings.members

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        enabled = try container.decodeIfPresent(Bool.self, forKey: .enabled)
        discardBacklog = try container.decodeIfPresent(Bool.self, forKey: .discardBacklog) ?? false
        addSecret = try container.decodeIfPresent(Bool.self, forKey: .addSecret) ?? false
        retireSecret = try container.decodeIfPresent(String.self, forKey: .retireSecret)
        settings = try WebhookSettings(from: decoder)
    }

    var isEmpty: Bool { !changesDefinition && enabled == nil && !discardBacklog }

    /// The change in a sentence, without values that may be secrets.
    var summary: String {
        let parts: [String?] = [
            enabled.map { $0 ? "switched on" : "switched off" },
            discardBacklog ? "discarded the pending deliveries" : nil,
            addSecret ? "added a secret" : nil, retireSecret.map(Self.retirement),
            settings.isEmpty ? nil : "changed the settings",
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    /// Omits a text that is no fingerprint: a client may send a secret instead, which must not be in the audit log.
    private static func retirement(_ fingerprint: String) -> String {
        Secret.isFingerprint(fingerprint) ? "retired the secret \(fingerprint)" : "retired an unknown secret"
    }

    var changesDefinition: Bool { !settings.isEmpty || addSecret || retireSecret != nil }

    /// Rotates the secrets. Returns the new secret, if one is added.
    func changeSecrets(of definition: inout ServerConfiguration.Webhook) throws(APIFailure) -> Secret? {
        if let retireSecret {
            let kept = definition.secrets.filter { $0.fingerprint != retireSecret }
            guard kept.count < definition.secrets.count else {
                throw APIFailure("unknown_secret", "No secret has this fingerprint.", parameter: "retire_secret")
            }
            guard !kept.isEmpty || addSecret else {
                throw APIFailure(
                    .conflict, "last_secret", "This is the only secret; add another first.", parameter: "retire_secret")
            }
            definition.secrets = kept
        }
        guard addSecret else { return nil }
        guard definition.secrets.count < Self.maximumSecrets else {
            throw APIFailure(
                .conflict, "too_many", "There are already \(Self.maximumSecrets) secrets; retire one first.",
                parameter: "add_secret")
        }
        let secret = WebhookSignature.makeSecret()
        definition.secrets.append(secret)
        return secret
    }
}

/// The body of `POST /v1/webhooks/{name}/replay`: one event, or all events of a time range.
struct ReplayBody: JSONRequestBody {
    /// The maximum number of deliveries that one request creates.
    private static let maximumDeliveries = 10_000

    var eventID: String?
    var from, to: RequestInstant?
    var after: Int64?
    /// Whether to count the deliveries without creating them.
    var dryRun: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case eventID = "event_id"
        case from, to, after
        case dryRun = "dry_run"
    }

    var summary: String {
        let events =
            eventID.map { "event \($0.prefix(100))" }
            ?? "events from \(from?.milliseconds ?? 0) to \(to?.milliseconds ?? 0)"
        return dryRun == true ? "counted \(events)" : events
    }

    func range(
        _ storage: any WebhookStorage, for principal: Principal, _ scopes: AppEnvironmentRegistry
    ) async throws -> ReplayRange {
        if let eventID {
            guard let number = try await storage.eventNumber(eventID, for: principal, scopes) else {
                throw APIFailure.notFound("No event has this ID.", parameter: "event_id")
            }
            return .event(number)
        }
        guard let from = from?.milliseconds, let to = to?.milliseconds else {
            throw APIFailure("invalid_range", "Send event_id, or from and to. " + InstantText.form, parameter: "from")
        }
        guard from < to else { throw APIFailure("invalid_range", "`from` must be before `to`.", parameter: "from") }
        return ReplayRange(
            from: from, to: to, after: after ?? 0, through: .max, limit: Self.maximumDeliveries)
    }
}
