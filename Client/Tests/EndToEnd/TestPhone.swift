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
    private let recorder: TestRecorder
    private var random: SeededGenerator

    package init(
        _ name: String, of owner: String, account: String, system: Int, in world: StoreAndServer,
        _ recorder: TestRecorder, seed: UInt64, now: Date
    ) {
        (self.name, self.owner, self.account, self.recorder) = (name, owner, account, recorder)
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
        let (scheduler, recorder, label) = (scheduler, recorder, "\(owner)'s \(name)")
        configuration.token = { customer in CustomerToken.make(for: customer, at: await scheduler.now()) }
        configuration.deliver = { [weak self] in try await self?.deliver($0, to: $1) }
        configuration.onNotice = { notice in Task { await recorder.record("\(label): \(notice)") } }
        let client = PurchaseClient(
            store: WatchedStore(device, network, recorder, name: label), backend: network, storage: storage,
            configuration: configuration, scheduler: scheduler)
        self.client = client
        client.start()
        await signIn(account)
    }

    private struct NotNow: Error {}

    /// Delivers a transaction with the app's own server, which sometimes fails.
    private func deliver(_ transaction: DeviceTransaction, to customer: String) async throws {
        if Int.random(in: 0..<10, using: &random) == 0 { throw NotNow() }
        await recorder.recordDelivery(of: transaction, to: customer)
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
        await recorder.recordSignIn(account, on: owner)
        try? client?.signIn(account)
    }

    /// Signs out. The next launch signs in again.
    package func signOut() { client?.signOut() }

    /// Presses a buy button, without waiting for the outcome.
    package func buy(_ product: String) {
        guard let client else { return }
        let (recorder, label) = (recorder, "\(owner)'s \(name)")
        Task {
            do throws(PurchaseClientError) {
                let outcome = try await client.buy(product)
                await recorder.record("\(label) bought \(product): \(outcome)")
            } catch { await recorder.record("\(label) did not buy \(product): \(error)") }
        }
    }

    /// Presses the restore button, without waiting for the outcome.
    package func restore() async {
        guard let client else { return }
        let (recorder, label) = (recorder, "\(owner)'s \(name)")
        await recorder.recordRestore(for: account, on: owner, device: label)
        await recorder.record("\(label) restores for \(account)")
        Task {
            do throws(PurchaseClientError) {
                let outcome = try await client.restore()
                await recorder.record("\(label) restored: \(outcome.failure.map { "\($0)" } ?? "well")")
            } catch { await recorder.record("\(label) did not restore: \(error)") }
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
