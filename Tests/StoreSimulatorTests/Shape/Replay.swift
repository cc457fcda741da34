import AppStoreModels
import Foundation
import StoreSimulator

/// Repeats in the simulator what one customer did in the sandbox on 6 October 2025.
enum Replay {
    /// A decoded notification.
    struct Event: Sendable {
        /// The type and subtype, joined by a dot.
        let type: String
        let notification: Payload
        var transaction: Payload?
        var renewal: Payload?

        /// Returns the payload of a kind of recorded data.
        func payload(_ kind: String) -> Payload? {
            switch kind {
            case "notification": notification
            case "transaction": transaction
            case "renewal": renewal
            default: nil
            }
        }

        init(_ text: String) throws {
            let notification = try Payload(text)
            self.notification = notification
            type = ["notificationType", "subtype"].compactMap { notification.body[$0]?.text }.joined(separator: ".")
            guard case .object(let data) = notification.body["data"] else { return }
            transaction = try data["signedTransactionInfo"]?.text.map(Payload.init)
            renewal = try data["signedRenewalInfo"]?.text.map(Payload.init)
        }
    }

    /// The notifications from the second purchase on, as in the recorded data.
    static let events = Task { try await play() }

    /// The test notification of 2022, which was recorded alone.
    static let test = Task {
        try await Simulator.runWithReceiver {
            $0.app = SimulatedApp(bundleID: "com.Abilities", appAppleID: 1)
        } _: { simulator, receiver in
            try await simulator.perform(.requestTestNotification, in: .sandbox)
            return try receiver.payloads.map(Event.init)
        }
    }

    private static let quarterly = "com.getsession.org.pro_sub_3_months"
    private static let monthly = "com.getsession.org.pro_sub"

    private static func play() async throws -> [Event] {
        try await Simulator.runWithReceiver { configuration in
            configuration.app = SimulatedApp(
                bundleID: "com.loki-project.loki-messenger", appAppleID: 1_470_168_868, version: "637")
            configuration.catalogue = catalogue
            configuration.clock = .frozen(Date(timeIntervalSince1970: 1_759_301_833))
            configuration.sandbox.rate = .monthlyEvery3Minutes
        } _: { simulator, receiver in
            func perform(_ command: StoreCommand, after seconds: TimeInterval) async throws {
                try await simulator.advance(by: seconds)
                try await simulator.perform(command, in: .sandbox)
            }
            func buy(_ product: String, after seconds: TimeInterval) async throws {
                // The recorded app sets no account token.
                try await perform(
                    .purchase(customer: "anna", product: product, appAccountToken: .absent), after: seconds)
            }
            // A subscription that ended before the recorded data begins.
            try await buy(quarterly, after: 0)
            try await perform(.cancel(customer: "anna"), after: 10)
            try await simulator.advance(to: Date(timeIntervalSince1970: 1_759_727_778))
            let before = receiver.bodies.count
            try await buy(quarterly, after: 0)
            try await buy(monthly, after: 12)
            try await perform(.cancel(customer: "anna"), after: 30)
            try await buy(quarterly, after: 18)
            try await buy(monthly, after: 28)
            try await perform(.cancel(customer: "anna"), after: 10)
            try await simulator.advance(by: 150)
            return try receiver.payloads.dropFirst(before).map(Event.init)
        }
    }

    private static let catalogue = Catalogue(
        products: [
            Product(
                id: monthly, type: .autoRenewableSubscription, name: "Pro, monthly", price: 1990,
                subscription: SubscriptionTerms(group: "21752814", level: 1, period: .month)),
            Product(
                id: quarterly, type: .autoRenewableSubscription, name: "Pro, quarterly", price: 5990,
                subscription: SubscriptionTerms(group: "21752814", level: 2, period: Period(3, .month) ?? .month)),
        ], groups: [SubscriptionGroup(id: "21752814", name: "Pro")],
        storefronts: [Storefront(code: "AUS", id: "143460", currency: "AUD")])
}
