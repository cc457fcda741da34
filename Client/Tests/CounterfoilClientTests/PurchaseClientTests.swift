import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `The client drives store, server and storage` {
    @Test func `At launch the device's purchases are reported, shown and finished`() async throws {
        let app = await RunningApp()
        await app.store.add(subscription(), reportsUpdate: false)
        app.client.start()
        try app.client.signIn(anna, token: "token")
        let customer = await app.waitForCustomer { $0.readiness == .ready && $0.isActive("pro") }
        #expect(customer?.source == .server)
        await app.until { await app.store.finished == [1] }
        #expect(await app.store.finished == [1])
        #expect(await app.server.owners == [1: anna])
        #expect(await app.store.synced == 0)
    }

    @Test func `Updates before a sign-in are not lost, because listening begins before start returns`()
        async throws
    {
        let app = await RunningApp()
        app.client.start()
        await app.store.add(coins())
        try app.client.signIn(anna, token: "token")
        await app.until { await app.store.finished == [7] }
        #expect(await app.store.finished == [7])
    }

    @Test func `Starting twice runs the client once`() async throws {
        let app = await RunningApp()
        app.client.start()
        app.client.start()
        try app.client.signIn(anna, token: "token")
        _ = await app.waitForCustomer { $0.readiness == .ready && $0.source == .server }
        #expect(await app.server.reports.count == 1)
    }

    @Test func `A stream that is no longer read is forgotten, although the customer does not change`() async throws {
        let app = await RunningApp()
        app.client.start()
        try app.client.signIn(anna, token: "token")
        _ = await app.waitForCustomer { $0.readiness == .ready && $0.source == .server }
        for _ in 0..<100 { _ = await app.waitForCustomer { _ in true } }
        await app.until { await app.client.observers.isEmpty }
        var shown = app.client.customers.makeAsyncIterator()
        #expect(await shown.next()?.id == anna)
        #expect(await app.client.observers.count == 1)
        await app.client.stop()
        while await shown.next() != nil {}
    }

    @Test func `In a test, too, a customer whose UUID is in upper case owns what they buy`() async throws {
        let app = await RunningApp()
        app.client.start()
        try app.client.signIn(anna.uppercased(), token: "token")
        await app.store.enqueuePurchaseResults([.success(coins())])
        let outcome = try await app.client.buy("coins")
        #expect(outcome == .purchased(coins(), .stored))
        #expect(await app.server.owners == [7: anna])
    }

    @Test func `A purchase is delivered, finished and shown`() async throws {
        let delivered = AsyncStream.makeStream(of: UInt64.self)
        let app = await RunningApp { $0.deliver = { sold, _ in delivered.continuation.yield(sold.id) } }
        app.client.start()
        try app.client.signIn(anna, token: "token")
        await app.store.enqueuePurchaseResults([.success(coins())])
        let outcome = try await app.client.buy("coins")
        #expect(outcome == .purchased(coins(), .stored))
        var deliveries = delivered.stream.makeAsyncIterator()
        #expect(await deliveries.next() == 7)
        await app.until { await app.store.finished == [7] }
        #expect(await app.store.finished == [7])
        #expect(await app.store.purchases.map(\.appAccountToken) == [UUID(uuidString: anna)])
    }

    @Test func `A delivery names the customer to whom the consumable belongs`() async throws {
        let delivered = AsyncStream.makeStream(of: String.self)
        let app = await RunningApp { $0.deliver = { delivered.continuation.yield($1) } }
        await app.store.add(coins(), reportsUpdate: false)
        app.client.start()
        try app.client.signIn(anna, token: "token")
        var deliveries = delivered.stream.makeAsyncIterator()
        #expect(await deliveries.next() == anna)
        try app.client.signIn(bert, token: "token")
        await app.store.add(coins(8, token: UUID(uuidString: bert)))
        #expect(await deliveries.next() == bert)
    }

    @Test func `After a lost answer the purchase is reported again and then finished`()
        async throws
    {
        let app = await RunningApp(faults: [.lostResponse])
        await app.store.add(coins(), reportsUpdate: false)
        app.client.start()
        try app.client.signIn(anna, token: "token")
        _ = await app.waitForCustomer { $0.id == anna && $0.readiness == .ready }
        #expect(await app.store.finished.isEmpty)
        await app.until {
            if let next = await app.scheduler.nextWake { await app.scheduler.advance(by: next) }
            return await app.store.finished == [7]
        }
        #expect(await app.store.finished == [7])
    }

    @Test func `A server that hangs delays neither the launch nor a purchase`() async throws {
        let app = await RunningApp(faults: [.hang, .hang, .hang])
        app.client.start()
        try app.client.signIn(anna, token: "token")
        await app.store.enqueuePurchaseResults([.success(subscription(purchased: t0 + 1))])
        let isBought = Task { try await app.client.buy("monthly") }
        // Launch and purchase are both reported, and neither gets an answer.
        await app.until { await app.flaky.requests == 2 }
        await app.scheduler.advance(by: 2)
        #expect(try await isBought.value == .purchased(subscription(purchased: t0 + 1), .awaitingServer))
        let customer = await app.waitForCustomer { $0.id == anna && $0.readiness == .ready }
        #expect(customer != nil)
        await app.client.stop()
    }

    @Test func `Only restore syncs with the App Store`() async throws {
        let app = await RunningApp()
        await app.store.add(subscription(token: nil), reportsUpdate: false)
        await app.store.failSync(with: CancellationError())
        app.client.start()
        try app.client.signIn("anna", token: "token")
        _ = await app.waitForCustomer { $0.isActive("pro") }
        #expect(await app.store.synced == 0)
        let outcome = try await app.client.restore()
        #expect(await app.store.synced == 1)
        #expect(!outcome.reachedAppStore && outcome.failure == nil && outcome.customer.isActive("pro"))
        #expect(await app.server.reports.map(\.report.restore).suffix(1) == [true])
    }

    @Test func `The token is requested, and requested again after it expired`() async throws {
        let tokenRequests = AsyncStream.makeStream(of: String.self)
        let app = await RunningApp(faults: [.failure(BackendFailure(status: 401, code: "token_expired"))]) {
            $0.token = {
                tokenRequests.continuation.yield($0)
                return "token"
            }
        }
        app.client.start()
        try app.client.signIn(anna)
        #expect(await app.waitForCustomer { $0.source == .server && $0.readiness == .ready }?.id == anna)
        var customers = tokenRequests.stream.makeAsyncIterator()
        #expect(await customers.next() == anna)
        #expect(await customers.next() == anna)
    }

    @Test func `Without an account the app transaction begins a session`() async throws {
        let app = await RunningApp { $0.allowsAnonymousCustomers = true }
        await app.store.add(subscription(token: nil), reportsUpdate: false)
        app.client.start()
        let customer = await app.waitForCustomer { $0.isActive("pro") && $0.source == .server }
        #expect(customer?.isAnonymous == true)
        try app.client.signIn(anna, token: "token")
        #expect(await app.waitForCustomer { $0.id == anna && $0.isActive("pro") && $0.source == .server } != nil)
        #expect(await app.server.owners == [1: anna])
    }

    @Test func `A purchase while signed out waits for the next sign-in`() async throws {
        let app = await RunningApp()
        app.client.start()
        try app.client.signIn(anna, token: "token")
        _ = await app.waitForCustomer { $0.source == .server && $0.readiness == .ready }
        app.client.signOut()
        _ = await app.waitForCustomer { $0.id == nil }
        await app.store.add(coins())
        await #expect(throws: PurchaseClientError.notSignedIn) { try await app.client.buy("coins") }
        #expect(await app.store.finished.isEmpty)
        try app.client.signIn(anna, token: "token")
        await app.until { await app.store.finished == [7] }
        #expect(await app.store.finished == [7])
    }

    @Test func `A purchase that the store did not start is not saved`() async throws {
        let app = await RunningApp()
        app.client.start()
        try app.client.signIn("anna", token: "token")
        _ = await app.waitForCustomer { $0.id == "anna" }
        let error = PurchaseClientError(.purchaseRefused, "no such product")
        await app.store.failPurchases(with: error)
        await #expect(throws: error) { try await app.client.buy("monthly") }
        let saved = try #require(try await app.storage.load("device"))
        #expect(try JSONDecoder().decode(DeviceRecord.self, from: saved).intents.isEmpty)
    }

    @Test func `Another error of the store has a code that says that the purchase may follow`() async throws {
        let app = await RunningApp()
        app.client.start()
        try app.client.signIn("anna", token: "token")
        await app.store.failPurchases(with: CancellationError())
        let error = await #expect(throws: PurchaseClientError.self) { try await app.client.buy("monthly") }
        #expect(error?.description == "store_failed: CancellationError()" && error?.isRetryable == false)
        let saved = try #require(try await app.storage.load("device"))
        #expect(try JSONDecoder().decode(DeviceRecord.self, from: saved).intents.count == 1)
    }

    @Test(arguments: [
        (PurchaseClientError.notSignedIn, "not_signed_in: No customer is signed in.", false),
        (PurchaseClientError.customerChanged, "customer_changed: The customer changed during the call.", false),
        (PurchaseClientError(.productNotLoaded, "offline"), "product_not_loaded: offline", true),
        (PurchaseClientError(.purchaseRefused, "no product coins"), "purchase_refused: no product coins", false),
        (PurchaseClientError(.storageFailed, "locked"), "storage_failed: locked", true),
    ])
    func `An error has a code, a message and whether the same call may succeed later`(
        _ error: PurchaseClientError, _ description: String, _ isRetryable: Bool
    ) {
        #expect(error.description == description)
        #expect(error.isRetryable == isRetryable)
    }

    @Test func `A stopped client throws from its calls and ends its sequences`() async throws {
        let app = await RunningApp()
        await app.client.stop()
        await #expect(throws: PurchaseClientError.stopped) { try await app.client.buy("coins") }
        #expect(await app.waitForCustomer { _ in true } == nil)
    }

    @Test(arguments: ["", String(repeating: "x", count: 256), ".", ".."])
    func `A customer's identifier has 1 to 255 bytes, and is not what clients resolve in a path`(_ customer: String)
        async throws
    {
        let app = await RunningApp()
        #expect(throws: PurchaseClientError.invalidCustomer) { try app.client.signIn(customer) }
    }
}
