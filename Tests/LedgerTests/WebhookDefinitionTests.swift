import AppStoreModels
import Ledger
import Testing

@Suite struct `The events that a webhook endpoint receives` {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var events: [String]?
        var apps: Set<String>?
        var environments: Set<AppStoreEnvironment>?
        var type = "subscription.renewed"
        /// Nil if it is unknown.
        var appEnvironment: AppEnvironment? = .init(id: 2, bundleID: "com.example.app", environment: .sandbox)
        var isAccepted: Bool
    }

    static let cases = [
        Case(testDescription: "no filter", isAccepted: true),
        Case(testDescription: "no filter, an unknown app", appEnvironment: nil, isAccepted: true),
        Case(testDescription: "a test event", type: EventType.webhookTest.rawValue, isAccepted: false),
        Case(testDescription: "no type", events: [], isAccepted: false),
        Case(testDescription: "other types", events: ["subscription.expired", "purchase.*"], isAccepted: false),
        Case(testDescription: "one of the types", events: ["purchase.*", "subscription.*"], isAccepted: true),
        Case(testDescription: "all types", events: ["*"], isAccepted: true),
        Case(testDescription: "the beginning of a type alone", events: ["subscription"], isAccepted: false),
        Case(testDescription: "the end of a type", events: ["*.renewed"], isAccepted: true),
        Case(testDescription: "parts of a type", events: ["sub*.*new*"], isAccepted: true),
        Case(testDescription: "parts that would overlap", events: ["subscription.*.renewed"], isAccepted: false),
        Case(testDescription: "parts in another order", events: ["*renewed*subscription*"], isAccepted: false),
        Case(testDescription: "its app", apps: ["com.example.app"], isAccepted: true),
        Case(testDescription: "another app", apps: ["com.example.other"], isAccepted: false),
        Case(testDescription: "its environment", environments: [.sandbox], isAccepted: true),
        Case(testDescription: "the other environment", environments: [.production], isAccepted: false),
        Case(
            testDescription: "its app in the other environment", apps: ["com.example.app"],
            environments: [.production], isAccepted: false),
        Case(testDescription: "an unknown app", apps: ["com.example.app"], appEnvironment: nil, isAccepted: false),
        Case(
            testDescription: "an unknown environment", environments: [.sandbox], appEnvironment: nil, isAccepted: false),
    ]

    @Test(arguments: cases) func `An endpoint receives the events that all its filters accept`(_ testCase: Case) {
        var definition = WebhookDefinition(name: "crm", url: "https://example.com", secrets: [])
        definition.events = testCase.events
        definition.apps = testCase.apps
        definition.environments = testCase.environments
        let type = EventType(rawValue: testCase.type)
        #expect(definition.accepts(type, testCase.appEnvironment) == testCase.isAccepted)
    }

    @Test(arguments: [(4, 4), (5, 5), (6, .min)] as [(Milliseconds, Milliseconds)])
    func `Events are for an endpoint from its creation on, or all if the clock was ahead then`(
        _ created: Milliseconds, _ beginning: Milliseconds
    ) {
        #expect(WebhookEndpoint.beginning(created, at: 5) == beginning)
    }
}
