public import AppStoreModels
public import Foundation

/// An injected fault of notifications or API responses.
public struct Fault: Sendable, Hashable, Codable {
    /// The target: `route:NAME` with a name of `AppStoreEndpoint`, `route:verifyReceipt`, `notification:TYPE`,
    /// `notification:TYPE.SUBTYPE`, `notification:V1.TYPE` for a notification of version 1, or `route:*` and
    /// `notification:*` for all.
    public var target: String

    /// The effect of the fault.
    public var effect: Effect

    /// The environment; nil for both.
    public var environment: AppStoreEnvironment?

    /// The probability that the fault is applied, 0 to 1; nil for always.
    public var probability: Double?

    /// How often the fault is applied at most; nil for no limit.
    public var count: Int?

    /// The end of the fault by the simulator's clock, in ISO 8601 or as milliseconds since 1970; nil for no end.
    public var until: Date?

    /// Creates a fault.
    public init(
        _ target: String, _ effect: Effect, environment: AppStoreEnvironment? = nil, probability: Double? = nil,
        count: Int? = nil, until: Date? = nil
    ) {
        self.target = target
        self.effect = effect
        self.environment = environment
        self.probability = probability
        self.count = count
        self.until = until
    }

    /// The effect of a fault.
    @nonexhaustive
    public enum Effect: Sendable, Hashable, Codable {
        /// Delays the response or the notification, in real seconds.
        case delay(seconds: Double)
        /// Closes the connection without a response; loses a notification for good.
        case drop
        /// Acts as if the receiver were unreachable: nothing is sent, and the attempt is retried according to the
        /// schedule. A route closes the connection, as with `drop`.
        case unreachable
        /// Sends a notification twice.
        case duplicate
        /// Sends a notification up to ten minutes later by the simulator's clock, after other notifications.
        case reorder
        /// Moves one of the customer's transactions to the end of the history before the response, as a reversed refund
        /// would. The history therefore changes between pages.
        case changeHistory
        /// Responds with this status and an empty body.
        case status(code: Int)
        /// Responds with this documented error; `verifyReceipt` with this documented status, and for 21100 to 21199 with
        /// `is-retryable`.
        case error(code: Int64)
        /// Responds with status 429, and `Retry-After` this many seconds ahead.
        case rateLimit(retryAfterSeconds: Double)
        /// Truncates the body.
        case truncate
        /// Flips a bit of a signature.
        case invalidSignature
        /// Signs with a certificate chain to an unknown root.
        case wrongChain
        /// Sets enumerations to undocumented values.
        case unknownValues
        /// Adds undocumented members to objects.
        case extraFields
        /// Shifts the signed date by this many seconds.
        case clockSkew(seconds: Double)

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case drop, unreachable, duplicate, reorder, changeHistory, truncate, invalidSignature, wrongChain
            case unknownValues, extraFields, delay, status, error, rateLimit, clockSkew
        }

        /// The names of all effects in JSON and YAML.
        package static let names = CodingKeys.allCases.map(\.rawValue)

        /// The member names of the numbers of effects, by the effect's name.
        package static let numberMembers = [
            "delay": "seconds", "status": "code", "error": "code", "rateLimit": "retryAfterSeconds",
            "clockSkew": "seconds",
        ]
    }
}
