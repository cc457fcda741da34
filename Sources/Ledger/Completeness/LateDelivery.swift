/// Recognizes notifications that did not arrive at the first attempt: the App Store could not reach the server before.
package enum LateDelivery {
    /// The time after which a notification was signed too long ago to arrive at the first attempt. The App Store sends
    /// the second attempt after an hour.
    package static let limit: Milliseconds = 30 * 60_000

    /// Whether a notification arrived much later than it was signed.
    package static func isLate(signed: Milliseconds, received: Milliseconds, _ origin: Origin) -> Bool {
        let (age, overflow) = received.subtractingReportingOverflow(signed)
        return origin == .delivered && !overflow && age >= limit
    }
}
