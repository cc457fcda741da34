import Foundation

/// Implements proactive restore in the app: listens for transactions from launch, reports them to the server, finishes
/// a transaction only after the server has stored it, and publishes the customer's entitlements.
///
/// Create one client, and call ``start()`` in the initialiser of your app.
public actor PurchaseClient {
    private nonisolated let store: any PurchaseStore
    private let backend: any Backend
    private let storage: any ClientStorage
    private let scheduler: any ClientScheduler
    private nonisolated let events: AsyncStream<ClientEvent>.Continuation
    private let incoming: AsyncStream<ClientEvent>
    private var machine: PurchaseStateMachine
    private var (isRunning, isStopped) = (false, false)
    /// The error of the storage while the saved records cannot be read.
    private var unreadable: String?
    /// The records that could not be saved, of which the app was notified.
    private var unsaved: Set<String> = []
    /// The last number given to a call or an observer.
    private var lastID = 0
    private var calls: [Int: CheckedContinuation<CallOutcome, Never>] = [:]
    private var timers: [ClientTimer: Task<Void, Never>] = [:]
    private var requests: [Int: Task<Void, Never>] = [:]
    package private(set) var observers: [Int: AsyncStream<Customer>.Continuation] = [:]

    /// - Parameters:
    ///   - store: The device's store: `StoreKitPurchaseStore()` in the app.
    ///   - backend: The server: ``HTTPBackend``, or your own backend.
    ///   - storage: The storage of the client's records: ``FileStorage``, or your own, such as the Keychain or iCloud.
    ///   - scheduler: The clock. Tests can use their own.
    public init(
        store: any PurchaseStore, backend: any Backend, storage: any ClientStorage,
        configuration: PurchaseClientConfiguration = PurchaseClientConfiguration(),
        scheduler: any ClientScheduler = SystemScheduler()
    ) {
        (self.store, self.backend, self.storage, self.scheduler) = (store, backend, storage, scheduler)
        (incoming, events) = AsyncStream.makeStream(of: ClientEvent.self)
        machine = PurchaseStateMachine(rules: configuration)
    }

    // MARK: Calls of the app

    /// Starts the client. It listens for transactions when this returns; the rest runs in the background. Call it once,
    /// as early as possible: purchases and restores wait until then.
    public nonisolated func start() {
        let updates = store.updates
        Task { await run(updates) }
    }

    /// Stops the client for good: it cancels requests, and drops a sign-in or sign-out that it has not published yet.
    public func stop() {
        isStopped = true
        events.finish()
        (Array(timers.values) + Array(requests.values)).forEach { $0.cancel() }
        observers.values.forEach { $0.finish() }
        calls.values.forEach { $0.resume(returning: .failed(.stopped)) }
        calls = [:]
    }

    /// The customer's state, as published last.
    public var current: Customer { machine.customer }

    /// A stream of the customer's state: the current value, then every change. Right after ``signIn(_:token:)`` the
    /// first value may belong to the previous customer; see ``Customer/id``.
    public nonisolated var customers: AsyncStream<Customer> {
        let (stream, continuation) = AsyncStream.makeStream(of: Customer.self, bufferingPolicy: .bufferingNewest(1))
        let adding = Task { await observe(continuation) }
        // A screen that is shown often makes many streams, and the customer may not change for days.
        continuation.onTermination = { _ in Task { await self.removeObserver(adding.value) } }
        return stream
    }

    /// The transactions that the client could not report or deliver, with the reasons. They stay unfinished.
    public var stuck: [StuckTransaction] { machine.stuck }

    /// Signs a customer in. Without a token, the client requests one with ``PurchaseClientConfiguration/token``.
    /// If that is nil, sign in with a new token at each launch and before the token expires; otherwise the client stops
    /// with ``ClientNotice/misconfigured(_:)``.
    ///
    /// - Parameter customer: The customer's identifier at the server: 1 to 255 bytes, and neither `.` nor `..`. A
    ///   Counterfoil server also refuses control characters, and requires Unicode Normalization Form C.
    /// - Throws: ``PurchaseClientError/Code/invalidCustomer`` for another identifier.
    public nonisolated func signIn(_ customer: String, token: String? = nil) throws(PurchaseClientError) {
        guard 1...255 ~= customer.utf8.count, ![".", ".."].contains(customer) else { throw .invalidCustomer }
        events.yield(.signedIn(customer: customer, token: token))
    }

    /// Signs the customer out. Transactions that arrive meanwhile stay unfinished on the device.
    public nonisolated func signOut() { events.yield(.signedOut(fresh: UUID())) }

    /// Call this when the app enters the foreground.
    public nonisolated func enterForeground() { events.yield(.foreground) }

    /// Reports a purchase that the app made without this client. Has no effect while no customer is signed in: after
    /// the sign-in, the client reports the purchases that StoreKit lists.
    public nonisolated func record(_ transaction: DeviceTransaction) { events.yield(.recorded(transaction)) }

    /// Loads products from the store. Products that the store does not have are missing from the result.
    ///
    /// - Throws: The error of the store, such as one of StoreKit.
    public nonisolated func products(_ ids: [String]) async throws -> [DeviceProduct] { try await store.products(ids) }

    /// Buys a product. Returns when the server has stored the purchase, or two seconds after StoreKit's result at the
    /// latest.
    ///
    /// - Throws: An error whose ``PurchaseClientError/Code`` says whether the purchase started. The customer cancelling
    ///   is no error, but an outcome.
    public func buy(
        _ productID: String, options: PurchaseOptions = PurchaseOptions()
    ) async throws(PurchaseClientError) -> PurchaseOutcome {
        let outcome = try await call { .buy(call: $0, productID: productID, options: options) }
        guard case .purchase(let purchase) = outcome else { throw .stopped }
        return purchase
    }

    /// Restores purchases. Call it only when the customer presses the restore button: the App Store may ask for a
    /// password. Returns 30 seconds after the synchronisation with the App Store at the latest; the synchronisation has
    /// no time limit.
    ///
    /// - Throws: ``PurchaseClientError`` if no customer is signed in, the storage cannot be read, the customer changes
    ///   during the call, or the client is stopped. Other failures are part of the outcome.
    public func restore() async throws(PurchaseClientError) -> RestoreOutcome {
        guard case .restore(let outcome) = try await call({ .restore(call: $0) }) else { throw .stopped }
        return outcome
    }

    private func call(_ event: (Int) -> ClientEvent) async throws(PurchaseClientError) -> CallOutcome {
        guard !isStopped else { throw .stopped }
        if let unreadable { throw PurchaseClientError(.storageFailed, unreadable) }
        lastID += 1
        let (call, event) = (lastID, event(lastID))
        let outcome = await withCheckedContinuation { waiting in
            calls[call] = waiting
            events.yield(event)
        }
        if case .failed(let error) = outcome { throw error }
        return outcome
    }

    private func observe(_ observer: AsyncStream<Customer>.Continuation) -> Int {
        lastID += 1
        if isStopped { observer.finish() } else { observers[lastID] = observer }
        if isRunning { observer.yield(machine.customer) }
        return lastID
    }
    private func removeObserver(_ id: Int) { observers[id] = nil }

    // MARK: Events and effects

    private func run(_ updates: AsyncStream<StoreUpdate>) async {
        guard !isRunning, !isStopped else { return }
        isRunning = true
        let listener = Task { [events] in for await update in updates { events.yield(.store(update)) } }
        await handle(.started(device: load("device"), customer: load("customer"), fresh: UUID()))
        for await event in incoming { await handle(event) }
        listener.cancel()
    }

    private func handle(_ event: ClientEvent) async {
        // Ignore calls that failed while the storage could not be read, and timers that were scheduled again.
        if case .buy(let call, _, _) = event, calls[call] == nil { return }
        if case .restore(let call) = event, calls[call] == nil { return }
        if case .timer(let timer) = event, timers[timer] != nil { return }
        let effects = machine.handle(event, at: await scheduler.now(), jitter: .random(in: 0.5...1.5))
        for effect in effects where !isStopped { await perform(effect) }
    }

    private func perform(_ effect: ClientEffect) async {
        let (store, events, scheduler, deliver) = (store, events, scheduler, machine.rules.deliver)
        switch effect {
        case .saveDevice(let record): await save(record, as: "device")
        case .saveCustomer(let record): await save(record, as: "customer")
        case .publish(let customer): observers.values.forEach { $0.yield(customer) }
        case .gather(let id, let name): Task { events.yield(.gathered(id, await Self.gather(name, from: store))) }
        case .send(let id, let request): requests[id] = Task { await send(id, request) }
        case .cancel(let request): requests.removeValue(forKey: request)?.cancel()
        case .requestToken(let customer, let isAnonymous):
            Task {
                do throws(BackendFailure) {
                    let proven = try await credential(of: customer, isAnonymous: isAnonymous)
                    events.yield(.token(customer: customer, .success(proven)))
                } catch { events.yield(.token(customer: customer, .failure(error))) }
            }
        case .purchase(let call, let productID, let options):
            Task {
                do { events.yield(.bought(call: call, .success(try await store.purchase(productID, options)))) } catch {
                    let failure = error as? PurchaseClientError ?? PurchaseClientError(.storeFailed, "\(error)")
                    events.yield(.bought(call: call, .failure(failure)))
                }
            }
        case .sync(let call):
            // Ignore the error: StoreKit reports "cancelled" also if there is no network.
            Task { events.yield(.synced(call: call, reachedAppStore: (try? await store.sync()) != nil)) }
        case .deliver(let transaction):
            // After an error of the app the transaction stays unfinished and is delivered again later.
            let customer = machine.device.customer ?? ""
            Task { events.yield(.delivered(transaction.id, (try? await deliver?(transaction, customer)) != nil)) }
        case .finish(let id): Task { await store.finish(id) }
        case .schedule(let timer, let delay):
            timers[timer]?.cancel()
            timers[timer] = Task {
                do { try await scheduler.sleep(for: delay) } catch { return }
                if !Task.isCancelled, timers.removeValue(forKey: timer) != nil { events.yield(.timer(timer)) }
            }
        case .unschedule(let timer): timers.removeValue(forKey: timer)?.cancel()
        case .complete(let call, let outcome): calls.removeValue(forKey: call)?.resume(returning: outcome)
        case .notify(let notice): notify(notice)
        }
    }

    private static func gather(_ name: GatheredPart.Name, from store: any PurchaseStore) async -> GatheredPart {
        switch name {
        case .unfinished: .unfinished(await store.unfinished())
        case .current: .current(await store.current())
        case .all: .all(await store.all())
        case .statuses: .statuses(await store.statuses())
        case .appTransaction: .appTransaction(await store.appTransaction())
        case .receipt: .receipt(await store.receipt())
        }
    }

    private func send(_ id: Int, _ request: ClientRequest) async {
        let event: ClientEvent
        do throws(BackendFailure) { event = .answered(request: id, try await answer(to: request)) } catch {
            event = .failed(request: id, error)
        }
        // The state machine expects no response to a cancelled request.
        guard !Task.isCancelled else { return }
        events.yield(event)
        requests[id] = nil
    }

    private func answer(to request: ClientRequest) async throws(BackendFailure) -> CustomerResponse {
        switch request.kind {
        case .report(let report): return try await backend.report(report, for: request.credential)
        case .fetch(let environment): return try await backend.customer(request.credential, environment: environment)
        case .merge(let anonymous, let environment):
            let proven = try await credential(of: anonymous, isAnonymous: true)
            return try await backend.merge(proven, into: request.credential, environment: environment)
        }
    }

    private func credential(of customer: String, isAnonymous: Bool) async throws(BackendFailure) -> CustomerCredential {
        let credential: CustomerCredential
        if let token = machine.rules.token {
            do { credential = CustomerCredential(customer: customer, token: try await token(customer)) } catch {
                throw .noConnection
            }
        } else {
            guard isAnonymous, let appTransaction = await store.appTransaction() else { throw .noToken }
            credential = try await backend.session(for: customer, appTransaction: appTransaction)
        }
        guard credential.token != nil else { throw .noToken }
        return credential
    }

    private func notify(_ notice: ClientNotice) {
        if let onNotice = machine.rules.onNotice { return onNotice(notice) }
        #if DEBUG
            print("Counterfoil: \(notice)")
        #endif
    }

    // MARK: Saved records

    /// Loads a record. Returns nil if it cannot be decoded: StoreKit and the server have all important data.
    private func load<Record: Decodable>(_ name: String) async -> Record? {
        do { return try await contents(of: name).map { try JSONDecoder().decode(Record.self, from: $0) } } catch {
            notify(.storage("\(error)"))
            return nil
        }
    }

    /// Loads the contents of a record, and retries every second until the storage can be read. Files are unreadable
    /// before the device is first unlocked; continuing without them would overwrite them.
    private func contents(of name: String) async -> Data? {
        defer { unreadable = nil }
        while !isStopped {
            do {
                if unreadable != nil { try await scheduler.sleep(for: 1) }
                return try await storage.load(name)
            } catch {
                if unreadable == nil { notify(.storage("\(error)")) }
                unreadable = "\(error)"
                calls.values.forEach { $0.resume(returning: .failed(PurchaseClientError(.storageFailed, "\(error)"))) }
                calls = [:]
            }
        }
        return nil
    }

    private func save(_ record: (any Encodable)?, as name: String) async {
        do { try await storage.save(record.map { try JSONEncoder().encode($0) }, as: name) } catch {
            // Make the next event save both records again.
            machine.saved = nil
            if unsaved.insert(name).inserted { notify(.storage("\(error)")) }
        }
    }
}
