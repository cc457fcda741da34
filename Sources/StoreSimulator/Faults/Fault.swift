public import AppStoreModels
public import Foundation

/// Something that goes wrong on purpose.
public struct Fault: Sendable, Hashable, Codable {
    /// The target: `route:NAME` with a name of `AppStoreEndpoint`, `route:verifyReceipt`,
    /// `notification:TYPE`, `notification:TYPE.SUBTYPE`, `notification:V1.TYPE` for one of version 1, or `route:*` and `notification:*` for all.
    public var target: String

    /// What happens.
    public var effect: Effect

    /// One environment; nil for both.
    public var environment: AppStoreEnvironment?

    /// How likely it is each time, 0 to 1; nil is always.
    public var probability: Double?

    /// How many times it happens at most; nil is without end.
    public var count: Int?

    /// When it ends by the simulator's clock, in ISO 8601 or as milliseconds since 1970; nil is never.
    public var until: Date?

    /// A fault.
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

    /// What can go wrong.
    @nonexhaustive
    public enum Effect: Sendable, Hashable, Codable {
        /// The answer, or the notification, is late by so many real seconds.
        case delay(seconds: Double)
        /// The connection closes without an answer; a notification is lost for good.
        case drop
        /// The receiver of notifications is not there: nothing is sent, and the next attempt comes when it would.
        case unreachable
        /// A notification is sent twice.
        case duplicate
        /// A notification comes up to ten minutes later by the simulator's clock, after others.
        case reorder
        /// One of the customer's transactions is changed before the answer, as by a refund that is taken back: it moves to the
        /// end of the history, and pages change while they are read.
        case revise
        /// The answer has this status and no body that says more.
        case status(code: Int)
        /// The answer is this documented error.
        case error(code: Int64)
        /// The answer is 429, with `Retry-After` so many seconds ahead.
        case rateLimit(retryAfterSeconds: Double)
        /// The body ends in the middle.
        case truncate
        /// A bit of a signature is wrong.
        case invalidSignature
        /// The chain leads to a root that nobody knows.
        case wrongChain
        /// Enumerations have values that nobody has heard of.
        case unknownValues
        /// Objects have members that nobody has heard of.
        case extraFields
        /// What is signed is dated so many seconds off.
        case clockSkew(seconds: Double)
    }
}
