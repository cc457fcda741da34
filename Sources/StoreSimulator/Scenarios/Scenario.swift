public import AppStoreModels

/// A customer life cycle as data: steps and their expected results.
///
/// ```yaml
/// name: Grace period, recovered in time
/// settings: {production: {gracePeriod: sixteenDays}}
/// steps:
///   - purchase: {customer: anna, product: premium.monthly, introductory: false}
///   - expect:
///       notifications: [SUBSCRIBED.INITIAL_BUY]
///       anna: {status: active, product: premium.monthly, autoRenew: true}
///   - failBilling: {customer: anna}
///   - advance: 1 month
///   - expect:
///       notifications: [DID_FAIL_TO_RENEW.GRACE_PERIOD]
///       anna: {status: billing_grace_period, access: true}
/// ```
///
/// `name` and `steps` are required. Optional are `description`, `settings`, `disorder` (`low`, `medium`, `high`) and
/// `environment` (the initial environment, by default `production`). Unknown keys are refused. A step is a mapping with
/// one key:
///
/// - The name of a ``StoreCommand``, with its members. A product can be named by the end of its identifier.
///   `transaction: 2` is the customer's second transaction. `token: last` is the token that the latest command created.
/// - `advance`: a duration (`1 month`, `31d`, `P1Y`) or an instant (`2026-03-01T00:00:00Z`).
/// - `trigger`: the name of a notification, or `{notification:, customer:, product:, overrides:}`.
/// - `fault`: a ``Fault``. It is removed at the end of the scenario.
/// - `set`: the changed ``StoreSettings`` of the current environment.
/// - `endOffer`: `{product:, offer:, after: 10 days}`, the time after which an offer code can no longer be redeemed.
/// - `environment`: `production` or `sandbox`, the environment of the following steps.
/// - `refuse`: a command, with the additional member `code`, the expected ``StoreError/Code`` of its refusal.
/// - `expect`: `notifications` lists all notifications since they were last expected, in order. Each is a name such as
///   `DID_RENEW.BILLING_RECOVERY`, or a mapping with `type` and the other parts to compare: `customer`, `status`,
///   `consumptionRequestReason`, `transaction`, `renewalInfo`, `summary` and `externalPurchaseToken` with some of their
///   fields. Any other key is a customer, with the facts to compare:
///   `status` (`active`, `expired`, `billing_retry`, `billing_grace_period`, `revoked`, `none`), `access`, `product`,
///   `autoRenew`, `renewsInto`, `expires`, `purchases` (the products other than subscriptions that are not refunded),
///   and every member of ``CustomerState/SubscriptionState`` by its name. `subscription` selects one of several
///   subscriptions. `null` means that a field has to be absent. Instants can be written in ISO 8601.
///
/// A scenario requires a frozen clock. At its end, the settings and the catalogue are restored.
public struct Scenario: Sendable {
    /// The name of the scenario.
    public let name: String
    /// A longer description.
    public let description: String?
    /// The YAML that the scenario was parsed from.
    public let text: String

    let settings: [AppStoreEnvironment: JSONValue]
    var randomFaults: RandomFaultLevel?
    let environment: AppStoreEnvironment
    let steps: [Step]

    struct Step: Sendable {
        let line: Int?
        /// The description of the step in a report.
        let title: String
        let action: Action
    }

    enum Action: Sendable {
        case command(JSONValue)
        case refuse(JSONValue, code: String)
        case advance(String)
        case trigger(JSONValue)
        case fault(Fault)
        case set(JSONValue)
        case endOffer(product: String, offer: String, after: String)
        case environment(AppStoreEnvironment)
        case expect(Expectation)
    }
}

/// The problems because of which a scenario cannot be parsed.
public struct ScenarioError: CounterfoilError, Hashable {
    /// The problems, at least one, each with its path and line.
    public let problems: [CatalogueError.Problem]

    /// Creates an error with these problems, for tests of error handling.
    public init(problems: [CatalogueError.Problem]) { self.problems = problems }

    /// `invalid_scenario`.
    public var code: String { "invalid_scenario" }

    /// The problems, one per line.
    public var message: String { problems.map(\.description).joined(separator: "\n") }

    /// The message.
    public var description: String { message }
}
