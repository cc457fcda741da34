package import Logging

extension Logger {
    /// Logs what many requests may repeat. Lines beyond the limit are logged at the level `debug`.
    package func log(_ level: Level, _ message: Message, limitedBy meter: RateMeter, _ metadata: Metadata) {
        log(level: meter.take(at: RateMeter.now) == nil ? level : .debug, message, metadata: metadata)
    }
}
