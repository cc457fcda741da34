internal import Foundation
internal import Hummingbird
internal import NIOCore
internal import WebConsole

/// A running simulated App Store on loopback.
///
/// ```swift
/// var configuration = SimulatorConfiguration()
/// configuration.clock = .frozen(Date())
/// let simulator = try await Simulator.start(configuration)
/// let bought = try await simulator.perform(.purchase(customer: "anna", product: "premium.monthly"))
/// try await simulator.advance(by: Period.year)
/// print(try simulator.state(of: "anna").summary)
/// await simulator.stop()
/// ```
///
/// Any number of them run in one process, each with its own authority, clock and port. What a command causes has been
/// announced to the developer's server when the command returns: nobody has to wait and see.
public final class Simulator: Sendable {
    /// Where it is, and what a program needs to talk to it.
    public let information: SimulatorInformation

    package let core: SimulatorCore
    let directory: SimulatorDirectory
    private let service: LoopbackService
    private let heart: Task<Void, Never>
    private let wakeups: AsyncStream<Void>.Continuation

    private init(
        _ core: SimulatorCore, _ information: SimulatorInformation, _ directory: SimulatorDirectory,
        _ service: LoopbackService
    ) {
        self.core = core
        self.information = information
        self.directory = directory
        self.service = service
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakeups = continuation
        heart = Task { await core.beat(stream) }
    }

    /// Starts a simulator. It answers requests when this returns, and its folder has `simulator.json`.
    ///
    /// - Throws: ``SimulatorError`` where the port is taken, the folder cannot be written or the catalogue is invalid.
    public static func start(
        _ configuration: SimulatorConfiguration = SimulatorConfiguration()
    ) async throws -> Simulator {
        try await start(configuration, nil)
    }

    /// Starts a simulator whose notifications of both environments come to a closure.
    ///
    /// ```swift
    /// let simulator = try await Simulator.start { request in
    ///     try await handle(request.body)
    /// }
    /// ```
    public static func start(
        _ configuration: SimulatorConfiguration = SimulatorConfiguration(), receiver: @escaping NotificationReceiver
    ) async throws -> Simulator {
        try await start(configuration, receiver)
    }

    private static func start(
        _ configuration: SimulatorConfiguration, _ receiver: NotificationReceiver?
    ) async throws -> Simulator {
        do { try configuration.catalogue.validate() } catch {
            throw SimulatorError("invalid_catalogue", "\(error)")
        }
        let directory = try SimulatorDirectory(configuration.directory)
        let slot = SimulatorSlot(receiver: receiver)
        let service: LoopbackService
        do { service = try await listen(slot, port: configuration.port) } catch {
            directory.removeIfTemporary()
            throw error
        }
        do {
            var configuration = configuration
            if receiver != nil {
                let url = "http://127.0.0.1:\(service.port)\(SimulatorRoutes.receiverPath)"
                configuration.production.notificationURL = url + "/production"
                configuration.sandbox.notificationURL = url + "/sandbox"
            }
            let simulator = try make(configuration, directory, service)
            slot.fill(simulator)
            return simulator
        } catch {
            await service.stop()
            directory.removeIfTemporary()
            throw error
        }
    }

    private static func make(
        _ configuration: SimulatorConfiguration, _ directory: SimulatorDirectory, _ service: LoopbackService
    ) throws -> Simulator {
        let base = "http://127.0.0.1:\(service.port)"
        let real = Date()
        let (authority, key) = try directory.authority(configuration, base: base, real: real)
        let bearer = BearerCheck(
            key: key.publicKey, keyID: key.keyID, issuerID: key.issuerID, bundleID: configuration.app.bundleID)
        let core = SimulatorCore(configuration, authority: authority, bearer: bearer, real: real)
        let information = SimulatorInformation(
            baseURLs: .init(production: base + "/production", sandbox: base + "/sandbox"),
            controlURL: base + "/simulator", issuerID: key.issuerID, keyID: key.keyID,
            privateKey: directory.path(key.fileName), bundleID: configuration.app.bundleID,
            appAppleID: configuration.app.appAppleID, rootCertificates: directory.rootCertificates,
            sharedSecret: configuration.sharedSecrets.min(),
            processIdentifier: ProcessInfo.processInfo.processIdentifier)
        try directory.write(information)
        return Simulator(core, information, directory, service)
    }

    /// Listens on loopback, on any free port if `port` is 0.
    private static func listen(_ slot: SimulatorSlot, port: Int) async throws -> LoopbackService {
        let responder = HeadResponder(base: SimulatorRoutes.router(slot).buildResponder())
        do { return try await LoopbackService(responder, port: port, label: "counterfoil.simulator") } catch {
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)).lowercased() }
            throw SimulatorError(
                "cannot_listen",
                "port \(port) of 127.0.0.1 cannot be had\(reason.map { " (\($0))" } ?? ""); 0 takes a free one")
        }
    }

    /// Sees to it that what a request has caused happens soon.
    func wake() { wakeups.yield() }

    /// Ends it: takes no more connections, and gives those that are open half a second. The folder stays, unless it was
    /// temporary.
    public func stop() async {
        // An open page would keep its connection.
        core.pages.shutdown()
        core.advances.cancelAll()
        wakeups.finish()
        heart.cancel()
        await heart.value
        await service.stop()
        await core.shutdown()
        directory.removeIfTemporary()
    }

    /// Waits until it is stopped from elsewhere, by a signal or a failure.
    public func wait() async throws { try await service.wait() }
}

extension SimulatorCore {
    /// Sends what requests have caused, and, unless the clock is frozen, lets time pass.
    func beat(_ wakeups: AsyncStream<Void>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in wakeups { await self.runQuietly() } }
            if !self.configuration.clock.isFrozen {
                group.addTask {
                    while !Task.isCancelled {
                        // A cancelled sleep ends the loop.
                        do { try await Task.sleep(for: .milliseconds(100)) } catch { return }
                        if let next = self.next, next <= self.now { await self.runQuietly() }
                    }
                }
            }
        }
    }

    private func runQuietly() async {
        // Cancelled is stopped.
        do { try await run() } catch { return }
    }

    func shutdown() async {
        // The connections end with the client; it complains only about a second shutdown.
        do { try await courier.shutdown() } catch { return }
    }
}
