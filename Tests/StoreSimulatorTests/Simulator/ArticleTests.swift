import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@Suite struct `The code of the simulator's articles` {
    @Test func `The simulator's articles contain only code that this file compiles`() throws {
        #expect(try Articles.uncompiled(of: "StoreSimulator", in: #filePath) == [])
    }

    @Test func `The example of the simulator's articles runs`() async throws {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Date())
        configuration.production.notificationURL = "http://127.0.0.1:8080/apple/notifications"
        // The test must not send requests.
        configuration.production.notificationURL = nil

        let simulator = try await Simulator.start(configuration)
        let thursday = simulator.now + 86_400
        try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
        try await simulator.advance(by: .year)
        print(try simulator.state(of: "anna").summary)
        #expect(try simulator.state(of: "anna").subscriptions.count == 1)
        // A tenth of all notifications never arrives.
        try simulator.add(Fault("notification:*", .drop, probability: 0.1))
        // The next three calls of Get Transaction History fail.
        try simulator.add(Fault("route:transaction-history", .error(code: 5_000_001), count: 3))
        // Your server is down until Thursday: Apple keeps trying.
        try simulator.add(Fault("notification:*", .unreachable, until: thursday))
        // The App Store is down.
        try simulator.add(Fault("route:*", .drop, until: thursday))
        await simulator.stop()
    }

    @Test func `The test of the simulator's articles receives a purchase and its refund`() async throws {
        let configuration = SimulatorConfiguration.frozen
        var types: [NotificationTypeV2] = []
        let received = Mutex<[String]>([])
        let simulator = try await Simulator.start(configuration) { request in
            if let text = request.signedPayload { received.withLock { $0.append(text) } }
        }
        try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
        try await simulator.perform(.approveRefund(customer: "anna"))

        let verifier = try simulator.verifier()
        for text in received.withLock({ $0 }) {
            let notification = try await verifier.notification(text)
            types.append(notification.payload.notificationType)
        }
        await simulator.stop()
        #expect(types == [.subscribed, .refund])
    }
}
