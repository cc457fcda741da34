/// Tells Apple where to ask for messages. Apple's page: `RealtimeUrlRequest`.
public struct RealtimeUrlRequest: Sendable, Hashable, Codable {
    /// The URL, up to 256 characters. In production only after a performance test has passed.
    public var realtimeURL: String

    /// Creates the value from its parts.
    public init(realtimeURL: String) {
        self.realtimeURL = realtimeURL
    }
}

/// Where Apple asks for messages. Apple's page: `RealtimeUrlResponse`.
public struct RealtimeUrlResponse: Sendable, Hashable, Codable {
    /// The URL.
    public var realtimeURL: String

    /// Creates the value from its parts.
    public init(realtimeURL: String) {
        self.realtimeURL = realtimeURL
    }
}
