/// How gaps are closed.
public struct RecoverySettings: Sendable, Hashable {
    /// Whether it happens by itself, at start and on a schedule. Default: true.
    public var isEnabled = true
    /// How long between two of them. Default: 15 minutes.
    public var interval = Duration.seconds(15 * 60)
    /// How far before the end of what was read each begins, at least a minute. Default: an hour.
    public var overlap = Duration.seconds(3600)
    /// How many parts of the time are asked for at once. Default: 4.
    public var windows = 4
    /// How many days the App Store keeps its history. Default: 180.
    public var retentionDays = 180

    /// The defaults.
    public init() {}
}
