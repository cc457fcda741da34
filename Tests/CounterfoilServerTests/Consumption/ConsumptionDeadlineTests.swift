import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Consumption requests near the deadline` {
    /// Calls `body` when the App Store has refused the first answer to a consumption request, with that request. The App
    /// Store refuses all answers until the fault is removed.
    private static func run(
        _ body: (_ world: World, _ first: ConsumptionInquiry, _ fault: Int) async throws -> Void
    ) async throws {
        try await World.run(server: { configuration in
            configuration.keys = [World.backend]
            configuration.apps[0].consumption = ConsumptionPolicy(defaultConsent: true)
        }) { world in
            world.simulator.configure { $0.refundDecision = .byCommand }
            try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.coins.100", appAccountToken: AppAccountToken(UUID())))
            try await world.waitUntilIdle()
            let fault = try world.simulator.add(
                Fault("route:send-consumption", .rateLimit(retryAfterSeconds: 1_000_000_000)))
            let outcome = try await world.simulator.perform(.requestRefund(customer: "anna"))
            try await world.waitUntilIdle()
            let id = try #require(outcome.transactionID)
            let first = try await world.inquiry(about: id) { $0.attempts == 1 }
            try await body(world, first, fault)
        }
    }

    @Test func `An App Store that fails until shortly before the deadline still gets the answer`() async throws {
        try await Self.run { world, first, fault in
            let id = first.transactionID
            // The next pause, of twenty seconds, would end after the deadline.
            try await world.simulator.advance(by: 12 * 3600 - 16)
            let second = try await world.inquiry(about: id) { $0.attempts == 2 }
            #expect(second.state == .pending)
            #expect(second.nextAttemptAt < first.deadline)
            try world.simulator.removeFault(fault)
            try await world.simulator.advance(by: 9)
            let last = try await world.inquiry(about: id) { $0.state != .pending }
            #expect(last.state == .sent && last.attempts == 3)
        }
    }

    @Test func `A clock that is ahead for a while does not end the time for an answer`() async throws {
        try await Self.run { world, first, fault in
            let id = first.transactionID
            try world.simulator.removeFault(fault)
            let (core, ahead) = (try world.server.core, World.start + 400 * 86_400)
            try #require(ahead.milliseconds > first.deadline)
            let service = ConsumptionService(
                storage: core.storage, apps: core.apps, scopes: core.scopes, clients: core.clients,
                clock: .showing({ ahead }, steadiness: ClockSteadiness(showing: ahead)), logger: core.logger,
                metrics: core.metrics)
            try await service.answerDue()
            let last = try await world.inquiry(about: id) { $0.state != .pending }
            #expect(last.state == .sent && last.attempts == 2)
        }
    }

    @Test func `An answer that the App Store accepts while the server stops does not count as missed`() async throws {
        try await Self.run { world, first, fault in
            try world.simulator.removeFault(fault)
            let (core, due) = (try world.server.core, Date(milliseconds: first.nextAttemptAt))
            let readings = Mutex(0)
            // The first reading finds the request, the second begins the answer, the third records its success.
            let clock = ServerClock.showing {
                let count = readings.withLock { count in
                    count += 1
                    return count
                }
                if count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
                return due
            }
            let service = ConsumptionService(
                storage: core.storage, apps: core.apps, scopes: core.scopes, clients: core.clients, clock: clock,
                logger: core.logger, metrics: core.metrics)
            try await service.answerDue()
            try #require(readings.withLock(\.self) == 3)
            let found = try await core.storage.inquiries(
                about: [first.transactionID], transactionID: nil, in: world.appEnvironment().id, limit: 1)
            #expect(found.map(\.state) == [.sent])
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `An App Store that does not answer for one environment does not delay the answers of another`() async throws {
        let (calls, call) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        try await AppStoreProxy.run({ path in
            guard path.contains("/consumption/") else { return nil }
            call.yield()
            await gate.pass()
            return nil
        }) { proxy in
            try await World.run(server: { configuration in
                configuration.keys = [World.backend]
                configuration.apps[0].consumption = ConsumptionPolicy(defaultConsent: true)
                proxy.redirectRequests(in: &configuration)
            }) { world in
                defer { gate.open() }
                for environment in [AppStoreEnvironment.production, .sandbox] {
                    world.simulator.configure(environment) { $0.refundDecision = .byCommand }
                    try await world.simulator.perform(
                        .purchase(
                            customer: "anna", product: "com.example.coins.100", appAccountToken: AppAccountToken(UUID())
                        ),
                        in: environment)
                }
                try await world.waitUntilIdle()
                _ = try await world.simulator.perform(.requestRefund(customer: "anna"))
                try await world.waitUntilIdle()
                // From here on, the server waits for the response of Production.
                for await _ in calls { break }
                let outcome = try await world.simulator.perform(.requestRefund(customer: "anna"), in: .sandbox)
                let id = try #require(outcome.transactionID)
                let (storage, sandbox) = (try world.server.core.storage, try world.appEnvironment(.sandbox))
                try await waitUntil("the request of the sandbox is answered") {
                    try await storage.inquiries(about: [id], transactionID: nil, in: sandbox.id, limit: 1).first?.state
                        == .sent
                }
                let production = try await storage.inquiries(
                    in: world.appEnvironment().id, before: .max, limit: 9)
                // The first attempt has not even failed yet.
                #expect(production.map(\.state) == [.pending] && production.map(\.attempts) == [0])
            }
        }
    }
}
