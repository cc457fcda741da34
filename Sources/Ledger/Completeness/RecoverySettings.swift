/// How the server finds and closes gaps.
public struct RecoverySettings: Sendable, Hashable {
    /// Whether recovery runs at start and on a schedule. Default: true.
    public var isEnabled = true
    /// The time between two recoveries. Default: 15 minutes.
    public var interval = Duration.seconds(15 * 60)
    /// How far each recovery begins before the end of the previous one, at least a minute. Default: an hour.
    public var overlap = Duration.seconds(3600)
    /// How many windows of time are requested in parallel. Default: 4.
    public var parallelWindows = 4
    /// How many days the App Store keeps its history. Default: 180.
    public var retentionDays = 180

    /// Creates the default settings.
    public init() {}
}
