import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation

/// A device with the app, which can be killed and started again with its storage.
package actor TestPhone {
    package nonisolated let name: String
    package nonisolated let owner: String
    /// The system's major version. Version 15 has a receipt and no app transaction.
    package nonisolated let system: Int
    package private(set) var account: String
    private var client: PurchaseClient?
    private var storage = MemoryStorage()
    private let scheduler: ManualScheduler
    private let device: SimulatedDevice
    private let network: Network
    private let findings: Findings
    private var random: SeededGenerator

    package init(
        _ name: String, of owner: String, account: String, system: Int, in world: StoreAndServer,
        _ findings: Findings, seed: UInt64, now: Date
    ) {
        (self.name, self.owner, self.account, self.findings) = (name, owner, account, findings)
        self.system = system
        random = SeededGenerator(seed: seed)
        scheduler = ManualScheduler(now)
        device = SimulatedDevice(control: world.control, environment: "production", customer: owner, device: name)
        network = Network(HTTPBackend(server: world.server, key: StoreAndServer.publicKey), seed: seed ^ 0xFACE)
    }

    // MARK: - The app

    /// Starts the app. Pending calls of the previous process are lost.
    package func launch() async {
        await client?.stop()
        var configuration = PurchaseClientConfiguration()
        let (scheduler, findings, label) = (scheduler, findings, "\(owner)'s \(name)")
        configuration.token = { customer in CustomerToken.make(for: customer, at: await scheduler.now()) }
        configuration.deliver = { [weak self] transaction in try await self?.deliver(transaction) }
        configuration.onNotice = { notice in Task { await findings.record("\(label): \(notice)") } }
        let client = PurchaseClient(
            store: WatchedStore(device, network, findings, name: label), backend: network, storage: storage,
            configuration: configuration, scheduler: scheduler)
        self.client = client
        client.start()
        await signIn(account)
    }

    private struct NotNow: Error {}

    /// Delivers a transaction with the app's own server, which sometimes fails.
    private func deliver(_ transaction: DeviceTransaction) async throws {
        if Int.random(in: 0..<10, using: &random) == 0 { throw NotNow() }
        await findings.recordDelivery(of: transaction, to: account)
    }

    /// Ends the app.
    package func kill() async {
        await client?.stop()
        client = nil
    }

    /// Reinstalls the app with an empty storage.
    package func reinstall() async {
        await kill()
        storage = MemoryStorage()
    }

    /// Signs in with an account.
    package func signIn(_ account: String) async {
        self.account = account
        await findings.recordSignIn(account, on: owner)
        try? client?.signIn(account)
    }

    /// Presses a buy button, without waiting for the outcome.
    package func buy(_ product: String) {
        guard let client else { return }
        let (findings, label) = (findings, "\(owner)'s \(name)")
        Task {
            do throws(PurchaseClientError) {
                let outcome = try await client.buy(product)
                await findings.record("\(label) bought \(product): \(outcome)")
            } catch { await findings.record("\(label) did not buy \(product): \(error)") }
        }
    }

    /// Presses the restore button, without waiting for the outcome.
    package func restore() async {
        guard let client else { return }
        let (findings, label) = (findings, "\(owner)'s \(name)")
        await findings.recordRestore(for: account, on: owner, device: label)
        await findings.record("\(label) restores for \(account)")
        Task {
            do throws(PurchaseClientError) {
                let outcome = try await client.restore()
                await findings.record("\(label) restored: \(outcome.failure.map { "\($0)" } ?? "well")")
            } catch { await findings.record("\(label) did not restore: \(error)") }
        }
    }

    /// Brings the app to the foreground, or starts it.
    package func open() async { if let client { client.enterForeground() } else { await launch() } }

    package var current: Customer? { get async { await client?.current } }
    package var stuck: [StuckTransaction] { get async { await client?.stuck ?? [] } }
    package var unfinished: [DeviceTransaction] { get async { await device.unfinished() } }

    // MARK: - Network and time

    package func stopFailing() async { await network.stopFailing() }
    package func pause() async { await network.pause() }
    package func resume() async { await network.resume() }
    package func pass(_ seconds: TimeInterval) async { await scheduler.advance(by: seconds) }
}
