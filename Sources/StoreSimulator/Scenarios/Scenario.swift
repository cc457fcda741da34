public import AppStoreModels

/// A life cycle as data: what happens, and what has to come of it.
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
/// `name` and `steps` have to be there; `description`, `settings`, `disorder` (`low`, `medium`, `high`) and `environment` (where it begins, `production`) need
/// not. Unknown keys are refused. A step is a mapping with one key:
///
/// - The name of a ``StoreCommand``, with its members. A product may be named by the end of its identifier, and
///   `transaction: 2` is the customer's second transaction. `token: last` is the token that the latest command made.
/// - `advance`: a length of time (`1 month`, `31d`, `P1Y`) or an instant (`2026-03-01T00:00:00Z`).
/// - `trigger`: the name of a notification, or `{notification:, customer:, product:, overrides:}`.
/// - `fault`: a ``Fault``. It ends with the scenario.
/// - `set`: ``StoreSettings`` of the environment that change.
/// - `endOffer`: `{product:, offer:, after: 10 days}`, how long from then on an offer code can still be redeemed.
/// - `environment`: `production` or `sandbox`, where what follows happens.
/// - `refuse`: a command, and beside it `code`, the ``StoreError/Code`` it has to be refused with.
/// - `expect`: `notifications` is a list of all since the last time they were expected, in order: names such as
///   `DID_RENEW.BILLING_RECOVERY`, or mappings with `type` and what else to look at: `customer`, `status`,
///   `consumptionRequestReason`, `transaction`, `renewalInfo`, `summary` and `externalPurchaseToken` with some of their
///   fields. Any other key is a customer, with some facts:
///   `status` (`active`, `expired`, `billing_retry`, `billing_grace_period`, `revoked`, `none`), `access`, `product`,
///   `autoRenew`, `renewsInto`, `expires`, `purchases` (the products that are no subscriptions, without those refunded),
///   and every member of ``CustomerState/SubscriptionState`` by its name. `subscription` chooses one of several.
///   A field that has to be absent is expected as `null`; an instant may be written in ISO 8601.
///
/// It needs a frozen clock. What it changes in the settings and the catalogue is put back at its end.
public struct Scenario: Sendable {
    /// What it is about.
    public let name: String
    /// More about it.
    public let description: String?
    /// The text that it was read from.
    public let text: String

    let settings: [AppStoreEnvironment: JSONValue]
    var disorder: Disorder?
    let environment: AppStoreEnvironment
    let steps: [Step]

    struct Step: Sendable {
        let line: Int?
        /// As a person would say it, in a report.
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

    struct Expectation: Sendable {
        var notifications: [ExpectedNotification]?
        /// By name, in the order of the names.
        var customers: [(name: String, facts: [String: Expected])] = []
    }

    struct ExpectedNotification: Sendable {
        var name: String
        var customer: String?
        /// What else is looked at, by the part of the notification it is in.
        var parts: [String: Expected] = [:]
    }

    /// A value that something has to have. Texts are compared as they are written.
    indirect enum Expected: Sendable {
        case absent
        case text(String)
        case list([Expected])
        case members([String: Expected])
    }
}

/// Why a scenario cannot be read: everything that is wrong with it, at once.
public struct ScenarioError: CounterfoilError, Hashable {
    /// At least one, with its path and line.
    public let problems: [CatalogueError.Problem]

    /// `invalid_scenario`.
    public var code: String { "invalid_scenario" }

    /// A line for each problem.
    public var message: String { problems.map(\.description).joined(separator: "\n") }

    /// The message.
    public var description: String { message }
}
