internal import AppStoreModels

/// A webhook endpoint with its state.
package struct WebhookEndpoint: Sendable {
    /// Why and since when the endpoint is disabled.
    package struct Disabled: Sendable, Hashable {
        package var reason: DisableReason
        package var since: Milliseconds

        package init(reason: DisableReason, since: Milliseconds) {
            self.reason = reason
            self.since = since
        }
    }

    /// The row identifier.
    package var id: Int64
    package var name: String
    /// The URL, secrets and filters. Nil for an endpoint of the configuration, because its secrets are not stored; and
    /// for one with a corrupt record.
    package var definition: WebhookDefinition?
    /// Whether the endpoint comes from the configuration. The API cannot change such an endpoint.
    package var isConfigured: Bool
    package var disabled: Disabled?
    /// The beginning of the failures: see ``EndpointHealth``.
    package var failingSince: Milliseconds?
    package var createdAt: Milliseconds

    package init(
        id: Int64, name: String, definition: WebhookDefinition? = nil, isConfigured: Bool, disabled: Disabled? = nil,
        failingSince: Milliseconds? = nil, createdAt: Milliseconds
    ) {
        self.id = id
        self.name = name
        self.definition = definition
        self.isConfigured = isConfigured
        self.disabled = disabled
        self.failingSince = failingSince
        self.createdAt = createdAt
    }
}

/// Why an endpoint is disabled.
package enum DisableReason: String, Sendable, Hashable {
    /// It answered 410 Gone.
    case gone
    /// All attempts failed for five days.
    case failing
    /// An administrator disabled it.
    case requested
}

extension WebhookEndpoint {
    /// Whether the stored definition is corrupt, so that nothing can be sent. The events wait.
    package var isDamaged: Bool { !isConfigured && definition == nil }

    /// Returns the instant from which on events are for an endpoint, by the time when they occurred. An instant in the
    /// future was set by a clock that was ahead, so the true one is unknown: then all new events are for the endpoint.
    package static func beginning(_ instant: Milliseconds, at now: Milliseconds) -> Milliseconds {
        instant > now ? .min : instant
    }
}

extension WebhookDefinition {
    /// Whether the endpoint receives events of this type in this app and environment.
    package func accepts(_ type: EventType, _ appEnvironment: AppEnvironment?) -> Bool {
        // A test event goes only to the endpoint in its request.
        guard type != .webhookTest else { return false }
        if let events, !events.contains(where: { type.matches($0) }) { return false }
        return receives(from: appEnvironment)
    }

    /// Whether the endpoint receives events of this app and environment.
    package func receives(from appEnvironment: AppEnvironment?) -> Bool {
        guard apps != nil || environments != nil else { return true }
        guard let appEnvironment else { return false }
        return (apps?.contains(appEnvironment.bundleID) ?? true)
            && (environments?.contains(appEnvironment.environment) ?? true)
    }
}

extension EventType {
    /// Whether a pattern matches an event type of this version, or one that the App Store may add.
    package static func isKnown(_ pattern: String) -> Bool {
        pattern.hasPrefix("notification.") || all.contains { EventType(rawValue: $0).matches(pattern) }
    }

    /// Whether a pattern matches the type. `*` stands for any characters.
    func matches(_ pattern: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return pattern == rawValue }
        guard rawValue.hasPrefix(first) else { return false }
        var rest = rawValue.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
