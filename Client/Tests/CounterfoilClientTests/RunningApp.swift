import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

/// A client with its store, server and storage. Nothing sleeps: tests advance the clock and await events.
struct RunningApp {
    private static let products = [ProductEntitlements("monthly", ["pro"]), ProductEntitlements("coins", [])]

    let scheduler = ManualScheduler(t0)
    let storage: any ClientStorage
    let store: ScriptedStore
    let server: MemoryBackend
    let flaky: FlakyBackend
    let client: PurchaseClient

    init(
        store: ScriptedStore = ScriptedStore(appTransaction: "e30.e30.e30"),
        storage: any ClientStorage = MemoryStorage(), faults: [FlakyBackend.Fault] = [],
        _ change: (inout PurchaseClientConfiguration) -> Void = { _ in }
    ) async {
        self.store = store
        self.storage = storage
        server = MemoryBackend(Self.products, scheduler: scheduler)
        flaky = FlakyBackend(server)
        await flaky.enqueueFaults(faults)
        var configuration = PurchaseClientConfiguration()
        configuration.productEntitlements = Self.products
        configuration.onNotice = { _ in }
        change(&configuration)
        client = PurchaseClient(
            store: store, backend: flaky, storage: storage, configuration: configuration, scheduler: scheduler)
    }

    /// Waits until the published customer meets the condition.
    func waitForCustomer(_ condition: @Sendable (Customer) -> Bool) async -> Customer? {
        for await customer in client.customers where condition(customer) { return customer }
        return nil
    }

    /// Waits until the store or the server meets the condition. Records an issue if it does not.
    func until(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async -> Bool) async {
        for _ in 0..<100_000 {
            if await condition() { return }
            await Task.yield()
        }
        Issue.record("The condition was not met.", sourceLocation: sourceLocation)
    }
}
