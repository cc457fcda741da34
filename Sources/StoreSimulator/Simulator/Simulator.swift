internal import Foundation
internal import Hummingbird
internal import NIOCore
internal import Synchronization
internal import WebConsole

/// A running simulated App Store on loopback.
///
/// ```swift
/// var configuration = SimulatorConfiguration()
/// configuration.clock = .frozen(Date())
/// let simulator = try await Simulator.start(configuration)
/// let bought = try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
/// try await simulator.advance(by: Period.year)
/// print(try simulator.state(of: "anna").summary)
/// await simulator.stop()
/// ```
///
/// A process can run several simulators, each with its own certificate authority, clock and port. When a command
/// returns, its notifications have been sent to the developer's server, so tests do not have to wait.
public final class Simulator: Sendable {
    /// The URLs, keys and files that a program needs to use the simulator.
    public let information: SimulatorInformation

    package let core: SimulatorCore
    let directory: SimulatorDirectory
    private let service: LoopbackService
    private let backgroundTask: Task<Void, Never>
    private let wakeups: AsyncStream<Void>.Continuation
    /// The work of ``stop()``, which all callers await.
    private let stopping = Mutex<Task<Void, Never>?>(nil)

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
        backgroundTask = Task { await core.processInBackground(stream) }
    }

    /// Starts a simulator. When this returns, the simulator answers requests and has written `simulator.json` to its
    /// folder.
    ///
    /// With a receiver, it sends the notifications of both environments to this closure:
    ///
    /// ```swift
    /// let simulator = try await Simulator.start { request in
    ///     try await handle(request.body)
    /// }
    /// ```
    ///
    /// - Throws: ``SimulatorError`` if the port is in use, the folder cannot be written, a file in it is damaged, the
    ///   catalogue is invalid, or a frozen clock does not start between 1952 and 2199. `CancellationError` if the task is
    ///   cancelled before the simulator listens.
    public static func start(
        _ configuration: SimulatorConfiguration = SimulatorConfiguration(), receiver: NotificationReceiver? = nil
    ) async throws -> Simulator {
        do { try configuration.catalogue.validate() } catch {
            throw SimulatorError(.invalidCatalogue, "\(error)")
        }
        try SimulatorCore.checkStart(of: configuration.clock)
        let directory = try SimulatorDirectory(configuration.directory)
        let holder = SimulatorHolder(receiver: receiver)
        let service: LoopbackService
        do { service = try await listen(holder, port: configuration.port) } catch {
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
            holder.fill(simulator)
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
        let information = SimulatorInformation(
            baseURLs: .init(production: base + "/production", sandbox: base + "/sandbox"),
            controlURL: base + "/simulator", issuerID: key.issuerID, keyID: key.keyID,
            privateKey: directory.path(key.fileName), bundleID: configuration.app.bundleID,
            appAppleID: configuration.app.appAppleID, rootCertificates: directory.rootCertificates,
            sharedSecret: configuration.sharedSecrets.min(),
            processIdentifier: ProcessInfo.processInfo.processIdentifier)
        try directory.write(information)
        // Nothing may throw from here on: the core's HTTP client has to be shut down.
        let core = SimulatorCore(configuration, authority: authority, bearer: bearer, real: real)
        return Simulator(core, information, directory, service)
    }

    /// Listens on loopback; `port` 0 means any free port.
    private static func listen(_ holder: SimulatorHolder, port: Int) async throws -> LoopbackService {
        let responder = HeadResponder(base: SimulatorRoutes.router(holder).buildResponder())
        do {
            return try await LoopbackService(responder, port: port, label: "counterfoil.simulator")
        } catch let error as CancellationError {
            throw error
        } catch {
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)).lowercased() }
            throw SimulatorError(
                .cannotListen,
                "port \(port) of 127.0.0.1 is not available\(reason.map { " (\($0))" } ?? ""); 0 means any free port"
            )
        }
    }

    /// Lets the background task process the events and notifications that a request has caused.
    func wake() { wakeups.yield() }

    /// Stops the simulator: accepts no more connections, and closes open ones after half a second. Deletes the folder
    /// if it is temporary. Returns when this is done, also if the task is cancelled.
    public func stop() async {
        let task = stopping.withLock { stopping in
            let task = stopping ?? Task { await self.stopOnce() }
            stopping = task
            return task
        }
        await task.value
    }

    private func stopOnce() async {
        // The event stream of an open page would keep its connection open.
        core.pages.shutdown()
        core.advances.cancelAll()
        wakeups.finish()
        backgroundTask.cancel()
        await backgroundTask.value
        await service.stop()
        await core.shutdown()
        directory.removeIfTemporary()
    }

    /// Waits until ``stop()`` has stopped the simulator, or the server fails. If the waiting task is cancelled, stops the
    /// simulator.
    ///
    /// - Throws: The error with which the server failed.
    public func wait() async throws {
        try await withTaskCancellationHandler {
            try await service.wait()
        } onCancel: {
            Task { await self.stop() }
        }
        // The server ends before the rest of the stop, which deletes the folder.
        await stop()
    }
}

extension SimulatorCore {
    /// Processes due events and notifications after each wakeup and, unless the clock is frozen, every 100
    /// milliseconds.
    func processInBackground(_ wakeups: AsyncStream<Void>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in wakeups { await self.runQuietly() } }
            if !self.configuration.clock.isFrozen {
                group.addTask {
                    while !Task.isCancelled {
                        // A cancelled sleep ends the loop.
                        do { try await Task.sleep(for: .milliseconds(100)) } catch { return }
                        self.state.withLock { $0.clock.recordTime() }
                        if let next = self.next, next <= self.now { await self.runQuietly() }
                    }
                }
            }
        }
    }

    private func runQuietly() async {
        // The task is cancelled when the simulator stops.
        do { try await run() } catch { return }
    }

    func shutdown() async {
        // Closes the client's connections. It throws only if it was shut down before.
        do { try await developerServer.shutdown() } catch { return }
    }
}
