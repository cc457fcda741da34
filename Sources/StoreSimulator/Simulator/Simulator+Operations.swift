public import AppStoreModels
public import Foundation

extension Simulator {
    /// The time of the simulator's clock.
    public var now: Date { core.now }

    /// Creates another In-App Purchase key, as in App Store Connect. From then on, the API accepts both keys.
    ///
    /// - Returns: The text of its `.p8` file.
    /// - Throws: ``SimulatorError`` with `invalid_argument` if the key ID is not 1 to 64 letters and digits,
    ///   `limit_reached` if there are 100 keys, `unwritable_directory` or `corrupted` if its file cannot be written or
    ///   read.
    public func addAPIKey(_ keyID: String) throws -> String {
        let key = try core.authority.apiKey(keyID: keyID, issuerID: information.issuerID)
        core.bearer.accept(key.publicKey, keyID: keyID)
        return key.pem
    }

    /// Revokes an In-App Purchase key. From then on, everything that is signed with the key is refused.
    public func revokeAPIKey(_ keyID: String) { core.bearer.revoke(keyID: keyID) }

    /// Performs a command in a store. Returns after the resulting notifications have been sent.
    ///
    /// - Throws: ``StoreError`` if the command is invalid or impossible in the present state. It has no effect then.
    @discardableResult
    public func perform(
        _ command: StoreCommand, in environment: AppStoreEnvironment = .production
    ) async throws -> StoreOutcome {
        try await core.perform(command, in: environment)
    }

    /// Causes a notification of the requested kind, with the purchases and events that have to precede it.
    ///
    /// - Throws: ``StoreError`` if that is impossible. The trigger has no effect then.
    @discardableResult
    public func trigger(
        _ request: TriggerRequest, in environment: AppStoreEnvironment = .production
    ) async throws -> StoreOutcome {
        try StoreCommand.check(environment, "environment", among: AppStoreEnvironment.simulated)
        let outcome = try core.change(environment) { store, now in try store.trigger(request, at: now) }
        try await core.run()
        return outcome
    }

    /// Advances the clock. Returns after all events until the new time have happened and their notifications have been
    /// sent.
    ///
    /// - Throws: ``SimulatorError`` with `invalid_argument` if the new time is after the year 2199. `CancellationError`
    ///   if the task is cancelled; the clock then stands at the last event.
    @discardableResult
    public func advance(by period: Period) async throws -> AdvanceReport {
        try await core.advance(to: period.date(after: core.now))
    }

    /// Advances the clock by a number of seconds.
    ///
    /// - Throws: ``SimulatorError`` with `invalid_argument` if the number is negative or the new time is after the year
    ///   2199. `CancellationError` if the task is cancelled; the clock then stands at the last event.
    @discardableResult
    public func advance(by seconds: TimeInterval) async throws -> AdvanceReport {
        try await core.advance(to: core.now + seconds)
    }

    /// Advances the clock to an instant.
    ///
    /// - Throws: ``SimulatorError`` with `invalid_argument` if the instant is before ``now`` or after the year 2199.
    ///   `CancellationError` if the task is cancelled; the clock then stands at the last event.
    @discardableResult
    public func advance(to date: Date) async throws -> AdvanceReport { try await core.advance(to: date) }

    /// Processes all events that are due. Returns when every notification that is due has been sent once.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func processDueEvents() async throws { try await core.run() }

    /// Returns the state of a customer: subscriptions, purchases and account data.
    ///
    /// - Throws: ``StoreError/Code/unknownCustomer`` if there is no such customer.
    public func state(of customer: String, in environment: AppStoreEnvironment = .production) throws -> CustomerState {
        try core.read(environment) { store, now in try store.state(of: customer, at: now) }
    }

    /// Returns the states of all customers, ordered by name.
    public func states(in environment: AppStoreEnvironment = .production) -> [CustomerState] {
        core.read(environment) { store, now in store.states(at: now) }
    }

    /// Returns the settings of an environment.
    public func settings(of environment: AppStoreEnvironment = .production) -> StoreSettings {
        core.read(environment) { store, _ in store.settings }
    }

    /// Changes the settings of an environment.
    public func configure(_ environment: AppStoreEnvironment = .production, _ body: (inout StoreSettings) -> Void) {
        core.change(environment) { store, _ in body(&store.settings) }
    }

    /// Activates a fault.
    ///
    /// - Returns: The number that ``removeFault(_:)`` takes.
    /// - Throws: ``SimulatorError`` with `invalid_fault` if target, effect and limits do not fit, `limit_reached` if
    ///   there are 1000 faults.
    @discardableResult
    public func add(_ fault: Fault) throws -> Int { try core.add(fault) }

    /// Removes the fault with a number; nil removes all faults.
    ///
    /// - Throws: ``SimulatorError`` with `unknown_fault` if there is no such fault.
    public func removeFault(_ number: Int? = nil) throws { try core.removeFault(number) }

    /// Replaces the leaf certificate and key that sign data. Data that was signed before stays valid.
    ///
    /// - Throws: ``SimulatorError`` with `unwritable_directory` if the certificates cannot be written to the folder of
    ///   the simulator, `limit_reached` after 999 replacements.
    public func rotateSigningKey() throws {
        try core.authority.rotateLeaf(now: Date())
        try core.writeCertificates()
    }

    /// Returns the unified receipt on a customer's device, in base64. It is bound to ``deviceID(of:on:in:)``.
    ///
    /// - Parameter device: The name of one of the customer's devices; nil for the customer's unnamed device.
    /// - Throws: ``StoreError/Code/noReceipt`` in the sandbox before the first purchase or `refreshReceipt`.
    public func receipt(
        of customer: String, on device: String? = nil, in environment: AppStoreEnvironment = .production
    ) throws -> String {
        try core.receipt(of: customer, on: device, in: environment).receipt.base64EncodedString()
    }

    /// Returns the identifier for vendor of a customer's device. Receipts of the device are bound to it.
    ///
    /// - Throws: ``StoreError/Code/unknownCustomer`` if there is no such customer; ``StoreError`` for an invalid name
    ///   of a device.
    public func deviceID(
        of customer: String, on device: String? = nil, in environment: AppStoreEnvironment = .production
    ) throws -> UUID {
        try core.read(environment) { store, _ throws(StoreError) in try store.deviceID(of: customer, on: device) }
    }
}
