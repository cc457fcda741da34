/// Tells the deliveries that are no first attempts: the App Store could not reach the server before.
package enum LateDelivery {
    /// How long after its signature a first attempt comes at most. The App Store tries again after an hour.
    package static let limit: Milliseconds = 30 * 60_000

    /// Whether a notification came much later than it was signed.
    package static func isLate(signed: Milliseconds, received: Milliseconds, _ origin: Origin) -> Bool {
        let (age, overflow) = received.subtractingReportingOverflow(signed)
        return origin == .delivered && !overflow && age > limit
    }
}
