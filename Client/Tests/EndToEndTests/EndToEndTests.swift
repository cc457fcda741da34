import CounterfoilClient
import CounterfoilClientTesting
import EndToEnd
import Foundation
import Testing

/// Whether the command of the main package exists. `make test` builds it first, and requires it.
private let isCommandBuilt =
    RunningProcess.executable != nil || ProcessInfo.processInfo.environment["COUNTERFOIL_END_TO_END"] == "required"
private let reason: Comment = "swift build in the folder above makes the store and the server that this needs"

@Suite(
    "End to end: a store, a server and three devices of two customers", .enabled(if: isCommandBuilt, reason),
    .serialized)
struct EndToEndTests {
    /// The number of histories that run side by side, with independent customers.
    private static let sideBySide = 10

    /// The seeds of the histories. Those of a group run side by side.
    private static let seeds: [[UInt64]] = {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["CLIENT_END_TO_END_HISTORIES"].flatMap { Int($0) } ?? 3
        let first = environment["CLIENT_END_TO_END_SEED"].flatMap { UInt64($0) } ?? 1
        return stride(from: 0, to: count, by: sideBySide).map { begin in
            (begin..<min(begin + sideBySide, count)).map { first + UInt64($0) }
        }
    }()

    @Test(.timeLimit(.minutes(120)))
    func `Thirteen months with every fault end with devices, server and store in agreement`() async throws {
        for seeds in Self.seeds {
            for (seed, wrong) in try await RandomHistory.run(seeds) {
                Issue.record("history \(seed): \(wrong.joined(separator: "\n"))")
            }
        }
    }

    @Test(.timeLimit(.minutes(120)))
    func `From the same facts, devices without the server show at every later instant what the server says`()
        async throws
    {
        var comparisons = 0
        var grants = 0
        for seeds in Self.seeds {
            for (seed, report) in try await OfflineHistory.run(seeds) {
                for difference in report.differences.prefix(10) { Issue.record("history \(seed): \(difference)") }
                comparisons += report.comparisons
                grants += report.grants
            }
        }
        #expect(comparisons > 100)
        #expect(grants > 100)
    }

    @Test(arguments: [(0, "e3b0c442"), (3, "ba7816bf"), (112, "cf5b16a7")])
    func `SHA-256 yields the digests of the standard`(_ count: Int, _ start: String) {
        let messages = [
            0: "", 3: "abc",
            112:
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        ]
        #expect(CustomerToken.hash(messages[count] ?? "").hasPrefix(start))
    }
}

/// The article's tests with simulated devices, and several devices of one customer.
@Suite(.enabled(if: isCommandBuilt, reason), .serialized, .timeLimit(.minutes(10)))
struct `Devices of one customer` {
    /// Calls `body` with a running store and server.
    private func withWorld(_ body: (StoreAndServer) async throws -> Void) async throws {
        let world = try await StoreAndServer()
        let result: Result<Void, any Error>
        do { result = .success(try await body(world)) } catch { result = .failure(error) }
        await world.stop()
        try result.get()
    }

    private func device(_ name: String, _ world: StoreAndServer) -> SimulatedDevice {
        SimulatedDevice(control: world.control, environment: "production", customer: "anna", device: name)
    }

    private func backend(_ world: StoreAndServer) -> HTTPBackend {
        HTTPBackend(server: world.server, key: StoreAndServer.publicKey)
    }

    private func configuration() -> PurchaseClientConfiguration {
        var configuration = PurchaseClientConfiguration()
        configuration.token = { CustomerToken.make(for: $0, at: StoreAndServer.start) }
        return configuration
    }

    private func until(_ condition: () async throws -> Bool) async throws {
        while try await !condition() { try await Task.sleep(nanoseconds: 5_000_000) }
    }

    @Test func `A purchase on the old phone is shown on the new one`() async throws {
        try await withWorld { world in
            try await world.command(#"{"createCustomer":{"customer":"anna"}}"#)
            let simulator = world.control
            let phone = SimulatedDevice(
                control: simulator, environment: "production", customer: "anna", device: "phone")
            let tablet = SimulatedDevice(
                control: simulator, environment: "production", customer: "anna", device: "tablet")
            let (backend, configuration) = (backend(world), configuration())
            func client(_ device: SimulatedDevice) -> PurchaseClient {
                PurchaseClient(store: device, backend: backend, storage: MemoryStorage(), configuration: configuration)
            }
            let old = client(phone)
            old.start()
            try old.signIn("anna")
            _ = try await old.buy("com.example.premium.monthly")  // returns when the server keeps it
            let new = client(tablet)
            new.start()
            try new.signIn("anna")
            for await customer in new.customers where customer.isActive("premium") { break }
            try await until { await phone.unfinished().isEmpty }
            await old.stop()
            await new.stop()
        }
    }

    private struct Sold: Decodable { var offerIdentifier: String? }

    @Test func `The store validates offers, and a purchase names its offer`() async throws {
        try await withWorld { world in
            try await world.command(#"{"createCustomer":{"customer":"anna"}}"#)
            let (phone, product) = (device("phone", world), "com.example.premium.monthly")
            // Neither offer is signed with the app's key. A sale at the full price would go unnoticed.
            let forged = "e30.e30.e30"
            for offer in [PurchaseOffer.promotional(id: "save20", jws: forged), .introductory(jws: forged)] {
                await #expect(throws: SimulatedDevice.Failure.self) {
                    try await phone.purchase(product, PurchaseOptions(offer: offer))
                }
            }
            #expect(await phone.all().isEmpty)
            _ = try await phone.purchase(product, PurchaseOptions())
            // A free week, a paid month, and the end.
            try await world.advance(by: 10 * 86_400)
            try await world.command(#"{"cancel":{"customer":"anna"}}"#)
            try await world.advance(by: 40 * 86_400)
            let result = try await phone.purchase(product, PurchaseOptions(offer: .winBack(id: "comeback")))
            guard case .success(let bought) = result else {
                Issue.record("it was not bought: \(result)")
                return
            }
            let sold: Sold? = SignedText.payload(of: bought.jws)
            #expect(sold?.offerIdentifier == "comeback")
        }
    }

    @Test func `An app without a backend begins a session, whose purchases move to the account at sign-in`()
        async throws
    {
        try await withWorld { world in
            try await world.command(#"{"createCustomer":{"customer":"anna"}}"#)
            let phone = device("phone", world)
            var configuration = PurchaseClientConfiguration()
            configuration.allowsAnonymousCustomers = true
            let client = PurchaseClient(
                store: phone, backend: backend(world), storage: MemoryStorage(), configuration: configuration,
                scheduler: SimulatedScheduler())
            client.start()
            try #require(isPurchased(try await client.buy("com.example.unlock")))
            for await customer in client.customers where customer.isActive("premium") && customer.isAnonymous { break }
            // Another device of the Apple account is the same customer.
            let other = PurchaseClient(
                store: device("tablet", world), backend: backend(world), storage: MemoryStorage(),
                configuration: configuration, scheduler: SimulatedScheduler())
            other.start()
            for await customer in other.customers where customer.isActive("premium") && customer.isAnonymous { break }
            await other.stop()
            // Requested before the sign-in and approved after it.
            try await world.command(#"{"askToBuy":{"customer":"anna"}}"#)
            #expect(try await client.buy("com.example.season.pass") == .pending)
            try client.signIn("account", token: CustomerToken.make(for: "account", at: StoreAndServer.start))
            for await customer in client.customers where customer.isActive("premium") && !customer.isAnonymous { break }
            try await world.command(#"{"approvePurchase":{"customer":"anna"}}"#)
            for await customer in client.customers where customer.isActive("season") { break }
            #expect(await client.current.id == "account")
            try await until { await phone.unfinished().isEmpty }
            await client.stop()
        }
    }

    @Test func `A customer without a UUID buys for the account token that the backend names, with signed answers`()
        async throws
    {
        try await withWorld { world in
            try await world.command(#"{"createCustomer":{"customer":"anna"}}"#)
            let account = UUID()
            var configuration = PurchaseClientConfiguration()
            configuration.token = { CustomerToken.make(for: $0, at: StoreAndServer.start, account: account) }
            let verifier = ResponseVerifier(keys: [Data(repeating: 0, count: 32)]) { signature, message, _ in
                signature.count == 64 && message.starts(with: Data("counterfoil-answer-1\nanna@example.com\n".utf8))
            }
            let phone = device("phone", world)
            let client = PurchaseClient(
                store: phone,
                backend: HTTPBackend(server: world.server, key: StoreAndServer.publicKey, verifier: verifier),
                storage: MemoryStorage(), configuration: configuration, scheduler: SimulatedScheduler())
            client.start()
            try client.signIn("anna@example.com")
            for await customer in client.customers where customer.source == .server { break }
            guard case .purchased(let bought, .stored) = try await client.buy("com.example.unlock") else {
                Issue.record("it was not kept")
                return
            }
            #expect(bought.appAccountToken == account)
            for await customer in client.customers where customer.isActive("premium") { break }
            try await until { await phone.unfinished().isEmpty }
            let known = try await world.customer("anna@example.com")["purchases"]?.list
            #expect(known?.count == 1)
            await client.stop()
        }
    }

    @Test func `Without the server a device shows the same entitlements as the server`() async throws {
        try await withWorld { world in
            try await world.command(#"{"createCustomer":{"customer":"anna"}}"#)
            let phone = device("phone", world)
            let (backend, scheduler) = (FlakyBackend(backend(world)), SimulatedScheduler())
            let client = PurchaseClient(
                store: phone, backend: backend, storage: MemoryStorage(), configuration: configuration(),
                scheduler: scheduler)
            client.start()
            try client.signIn("anna")
            for product in ["premium.monthly", "season.pass", "coins.100"] {
                try #require(isPurchased(try await client.buy("com.example." + product)))
            }
            // From now on the server is unreachable while time passes: renewals, an end, a grace period.
            await backend.enqueueFaults(Array(repeating: .failure(.noConnection), count: 100_000))
            let days: [Double] = [3, 10, 20, 1, 30, 40, 1, 1]
            for (index, count) in days.enumerated() {
                if index == 4 { try await world.command(#"{"failBilling":{"customer":"anna"}}"#) }
                try await world.advance(by: count * 86_400)
                await scheduler.advance(by: count * 86_400)
                client.enterForeground()
                let known = try await world.customer("anna")["entitlements"]?.list ?? []
                let byServer = Set(known.filter { $0["is_active"]?.flag == true }.compactMap { $0["key"]?.string })
                try await until {
                    let current = await client.current
                    return Set(current.entitlements.filter(\.isActive).map(\.key)) == byServer
                }
            }
            await client.stop()
        }
    }
}

private func isPurchased(_ outcome: PurchaseOutcome) -> Bool { if case .purchased = outcome { true } else { false } }

/// A scheduler with the simulator's date, which the test advances. It sleeps in real time.
private actor SimulatedScheduler: ClientScheduler {
    private var date = StoreAndServer.start

    func now() -> Date { date }
    func advance(by seconds: TimeInterval) { date += seconds }
    func sleep(for seconds: TimeInterval) async throws { try await SystemScheduler().sleep(for: seconds) }
}
