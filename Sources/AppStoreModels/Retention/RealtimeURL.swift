/// Sets the URL from which Apple requests messages. Apple's page: `RealtimeUrlRequest`.
public struct RealtimeUrlRequest: Sendable, Hashable, Codable {
    /// The URL, up to 256 characters. In production, a performance test must have passed first.
    public var realtimeURL: String

    /// Creates the value from its parts.
    public init(realtimeURL: String) {
        self.realtimeURL = realtimeURL
    }
}

/// The URL from which Apple requests messages. Apple's page: `RealtimeUrlResponse`.
public struct RealtimeUrlResponse: Sendable, Hashable, Codable {
    /// The URL.
    public var realtimeURL: String

    /// Creates the value from its parts.
    public init(realtimeURL: String) {
        self.realtimeURL = realtimeURL
    }
}
