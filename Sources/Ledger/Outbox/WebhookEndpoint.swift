internal import AppStoreModels
internal import Foundation

/// Where events are sent, and how it goes.
package struct WebhookEndpoint: Sendable {
    /// Why, and since when, nothing is sent.
    package struct Disabled: Sendable, Hashable {
        package var reason: DisableReason
        package var since: Milliseconds

        package init(reason: DisableReason, since: Milliseconds) {
            self.reason = reason
            self.since = since
        }
    }

    /// The storage's number for it.
    package var id: Int64
    package var name: String
    /// What is sent where. Nil for an endpoint of the configuration, which holds this: its secrets are stored nowhere; and
    /// for one that is damaged.
    package var definition: WebhookDefinition?
    /// Whether it is one of the configuration. The API cannot change those.
    package var isConfigured: Bool
    package var disabled: Disabled?
    /// Since when nothing has arrived, while something was sent: see ``EndpointHealth``.
    package var failingSince: Milliseconds?
    /// The last event that deliveries were made of.
    package var cursor: Int64
    package var createdAt: Milliseconds

    package init(
        id: Int64, name: String, definition: WebhookDefinition? = nil, isConfigured: Bool, disabled: Disabled? = nil,
        failingSince: Milliseconds? = nil, cursor: Int64, createdAt: Milliseconds
    ) {
        self.id = id
        self.name = name
        self.definition = definition
        self.isConfigured = isConfigured
        self.disabled = disabled
        self.failingSince = failingSince
        self.cursor = cursor
        self.createdAt = createdAt
    }
}

/// Why nothing is sent to an endpoint.
package enum DisableReason: String, Sendable, Hashable {
    /// It answered 410 Gone.
    case gone
    /// Nothing arrived there in five days of attempts.
    case failing
    /// Somebody switched it off.
    case requested
}

extension WebhookEndpoint {
    /// Whether what is stored of it cannot be read, so that nothing can be sent there. Its events wait.
    package var isDamaged: Bool { !isConfigured && definition == nil }

    /// From when on events are for an endpoint, by what happened and not by what became known. A beginning in the future was
    /// given by a clock that was ahead, and nobody knows what it would have been: all that becomes known is for the endpoint.
    package static func beginning(_ instant: Milliseconds, at now: Milliseconds) -> Milliseconds {
        instant > now ? .min : instant
    }
}

extension WebhookDefinition {
    /// Whether it wants events of this kind.
    package func accepts(_ type: EventType, _ scope: Scope?) -> Bool {
        // A test is for the endpoint that it was asked for.
        guard type != .webhookTest else { return false }
        if let events, !events.contains(where: { type.matches($0) }) { return false }
        guard apps != nil || environments != nil else { return true }
        guard let scope else { return false }
        return (apps?.contains(scope.bundleID) ?? true) && (environments?.contains(scope.environment) ?? true)
    }
}

extension EventType {
    /// Whether a pattern names an event that this version knows, or one of those that the App Store may add.
    package static func isKnown(_ pattern: String) -> Bool {
        pattern.hasPrefix("notification.") || all.contains { EventType(rawValue: $0).matches(pattern) }
    }

    /// Whether a pattern names it, in which `*` stands for anything.
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
