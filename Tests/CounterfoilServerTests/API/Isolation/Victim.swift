import AppStoreModels
import AppStoreServer
import Entitlements
import Foundation
import StoreSimulator
import Testing
import WebConsole

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

/// An app in an environment that a key for other places must not reach, and requests that try it.
struct Victim {
    /// A request about the victim.
    struct Request {
        var method: String
        var path: String
        var body: String?
        /// The identifiers of the victim that the request has.
        var names: Set<Substring> = []
        /// The same request about something that does not exist; nil if there is no such request.
        var unknown: (path: String, body: String?)?
    }

    let apps: TwoApps
    let place: TwoApps.Place
    /// The values of the placeholders in requests.
    let values: [(name: String, value: String)]
    /// A console session with the key of the place.
    let session: String

    /// The key for this place alone.
    private var client: TestAPIClient { apps.client(place.name) }

    /// Identifiers that exist nowhere.
    private static let unknown: [(name: String, value: String)] = [
        ("$TRANSACTION", "999999999999999"), ("$PAID", "999999999999999"), ("$ORDER", "MZZZZZZZZZ"),
        ("$UUID", "3c8e3b1c-7a53-4b8e-9d2f-000000000000"), ("$GRANT", "grt_3c8e3b1c-7a53-4b8e-9d2f-000000000000"),
        ("$RECOVERY", "rec_999999"), ("$ENDPOINT", "nobody"), ("$DELIVERY", "999999"), ("$SESSION", "00000000"),
    ]

    /// Adds a grant, a usage report, a refund request, a recovery and a session to the purchases of a place.
    init(_ apps: TwoApps, _ place: TwoApps.Place) async throws {
        let (client, core) = (apps.client(place.name), try apps.world.server.core)
        let (customer, simulator) = (TwoApps.customer(0), apps.simulator(of: place))
        let appEnvironment = try apps.appEnvironment(place)
        func post(_ path: String, _ body: [String: Any]) async throws -> TestAPIClient.Response {
            let answer = try await client.post("\(path)?\(place.query)", body)
            try #require(answer.status < 300, "\(path): \(answer.text)")
            return answer
        }
        let grant = try await post(
            "/v1/customers/\(customer)/grants",
            ["entitlement": "premium", "reason": "the outage in \(place.name)", "actor": "maria"])
        _ = try await post("/v1/customers/\(customer)/usage", ["customer_consented": true])
        let now = apps.world.simulator.now.milliseconds
        let recovery = try await post("/v1/recoveries", ["from": now - 600_000, "to": now])
        try await core.recovery.runPass(appEnvironment, because: nil)
        session =
            core.sessions.start(
                key: place.name, digest: APIKeyText.hash(of: place.name), address: "192.0.2.1"
            ).session.id
        let facts = try await core.customers.customer(customer, in: appEnvironment, at: nil).facts
        let monthly = facts.transactions.first { $0.productID == "com.example.premium.monthly" }
        let transaction = try #require(monthly?.transactionID)
        try await simulator.perform(
            .requestRefund(customer: TwoApps.names[0], transaction: transaction), in: place.environment)
        try await apps.world.deliverWebhooks()
        try await core.consumption.answerDue()

        let order = simulator.core.read(place.environment) { store, _ in store.transactions[transaction]?.order }
        let uuid = try #require(
            try await client.get("/v1/notifications?\(place.query)").items.first?["uuid"] as? String)
        let delivery = try #require(
            try await client.get("/v1/webhooks/\(place.name)/deliveries").items.first?["id"] as? String)
        let appStore = try #require(core.clients[appEnvironment.id])
        let signed = try await appStore.transaction(transaction).signedTransactionInfo
        let download = try await appStore.appTransaction(of: transaction).signedAppTransactionInfo
        let stored = try #require(try await core.storage.notification(uuid))
        (self.apps, self.place) = (apps, place)
        values = [
            ("$ID", customer), ("$TRANSACTION", transaction), ("$PAID", transaction), ("$ORDER", order ?? "none"),
            ("$UUID", uuid), ("$GRANT", try #require(grant["id"] as? String)), ("$SESSION", session),
            ("$RECOVERY", try #require(recovery["id"] as? String)), ("$ENDPOINT", place.name),
            ("$DELIVERY", delivery), ("$TEXT", stored.text), ("$SIGNED", signed), ("$DOWNLOAD", download),
            ("$FROM", "\(now - 600_000)"), ("$NOW", "\(now)"), ("$LATER", "\(now + 600_000)"),
        ]
    }

    static func filled(_ text: String, _ values: [(name: String, value: String)]) -> String {
        values.reduce(text) { $0.replacingOccurrences(of: $1.name, with: $1.value) }
    }

    /// The requests of the description with a key, without values. They name the victim's records.
    private static var calls: [(method: String, path: String, body: String?)] {
        `The description of the API`.calls.filter { $0.path.hasPrefix("/v1/") }.map { call in
            let path = call.path.replacing("/webhooks/backend", with: "/webhooks/$ENDPOINT")
                .replacing("/deliveries/1", with: "/deliveries/$DELIVERY").replacing("rec_1", with: "$RECOVERY")
            return (String(call.operation.prefix { $0 != " " }), path, call.body)
        }
    }

    private func scoped(_ path: String) -> String { path + (path.contains("?") ? "&" : "?") + place.query }

    /// Whether a request reads from the App Store, whose answers are signed anew each time.
    private static func isStoring(_ path: String) -> Bool {
        path.hasPrefix("/v1/orders/") || path.hasSuffix("/refunds")
    }

    /// Recoveries run in the background and change these answers at any time.
    private static let changing = ["/v1/recoveries", "/v1/completeness"]

    /// The responses to all reading requests with the key of the place, by path.
    ///
    /// - Parameter lasting: Whether to leave out those that change without a request.
    func readings(lasting: Bool = false) async throws -> [String: String] {
        // These numbers count the events of all apps.
        let counters = try Regex(#""(next_page|has_more|events_behind)":("[0-9a-f.]+"|[a-z0-9]+),?"#)
        var texts: [String: String] = [:]
        for call in Self.calls where call.method == "GET" && !Self.isStoring(call.path) {
            let path = Self.filled(call.path, values)
            if lasting, Self.changing.contains(call.path) { continue }
            for path in [path, scoped(path)] {
                let answer = try await client.get(path)
                guard answer.status == 200 else { continue }
                texts[path] = answer.text.replacing(counters, with: "")
            }
        }
        return texts
    }

    /// The identifiers and signed texts in responses: long words with a digit. Instants in milliseconds are shorter, and
    /// both apps have the same products.
    func secrets(in texts: some Sequence<String>) -> Set<Substring> {
        tokens(texts).filter { word in
            word.utf8.count > 13 && word.utf8.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                && !word.hasPrefix("com.example.")
        }
    }

    /// Every request of the description about the victim, with and without its app and environment; then requests with
    /// its cursors, guessed numbers, and its records at the attacker's endpoint.
    func requests(endpoint: String) async throws -> [Request] {
        var requests: [Request] = []
        func add(_ method: String, _ path: String, _ body: String? = nil) {
            // Scopes are compared with scopes only.
            for path in [path, scoped(path)] {
                let used = Self.unknown.filter { path.contains($0.name) || body?.contains($0.name) ?? false }
                var request = Request(
                    method: method, path: Self.filled(path, values), body: body.map { Self.filled($0, values) })
                let names = values.filter { value in used.contains { $0.name == value.name } }
                request.names = tokens(names.map(\.value))
                if !used.isEmpty {
                    request.unknown = (
                        Self.filled(Self.filled(path, Self.unknown), values),
                        body.map { Self.filled(Self.filled($0, Self.unknown), values) }
                    )
                }
                requests.append(request)
            }
        }
        for call in Self.calls { add(call.method, call.path, call.body) }
        for query in ["$TRANSACTION", "$UUID", "evt_$UUID"] { add("GET", "/v1/search?q=\(query)") }
        for number in 1...20 {
            add("GET", "/v1/webhooks/\(endpoint)/deliveries/\(number)")
            add("GET", "/v1/recoveries/rec_\(number)")
        }
        add("GET", "/v1/webhooks/\(endpoint)/deliveries/$DELIVERY")
        add("GET", "/v1/webhooks/\(endpoint)/deliveries?event_id=evt_$UUID")
        add("POST", "/v1/webhooks/\(endpoint)/replay", #"{"event_id":"evt_$UUID"}"#)
        for call in Self.calls where call.method == "GET" {
            let path = Self.filled(call.path, values)
            let first = try await client.get(scoped(path) + "&limit=1")
            guard let cursor = first["next_page"] as? String else { continue }
            add("GET", path + (path.contains("?") ? "&" : "?") + "limit=1&page=" + cursor.percentEncodedCursor)
        }
        return requests
    }
}

extension String {
    fileprivate var percentEncodedCursor: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self
    }
}
