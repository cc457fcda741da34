public import AppStoreModels
public import Foundation
internal import Synchronization

extension Simulator {
    /// What the simulator's clock shows.
    public var now: Date { core.now }

    /// Makes another In-App Purchase key, as in App Store Connect: the API takes both from then on.
    ///
    /// - Returns: The text of its `.p8` file.
    /// - Throws: Where the identifier is not of 1 to 64 letters and digits, or there are too many keys.
    public func addAPIKey(_ keyID: String) throws -> String {
        let key = try core.authority.apiKey(keyID: keyID, issuerID: information.issuerID)
        core.bearer.accept(key.publicKey, keyID: keyID)
        return key.pem
    }

    /// Revokes an In-App Purchase key: whatever is signed with it is refused from then on.
    public func revokeAPIKey(_ keyID: String) { core.bearer.revoke(keyID: keyID) }

    /// Does something in a store. Everything it caused has been announced when this returns.
    ///
    /// - Throws: ``StoreError`` where the command makes no sense; nothing has changed then.
    @discardableResult
    public func perform(
        _ command: StoreCommand, in environment: AppStoreEnvironment = .production
    ) async throws -> StoreOutcome {
        try await core.perform(command, in: environment)
    }

    /// Causes one kind of notification, with whatever has to come before it.
    ///
    /// - Throws: ``StoreError`` where that is impossible; nothing has changed then.
    @discardableResult
    public func trigger(
        _ request: TriggerRequest, in environment: AppStoreEnvironment = .production
    ) async throws -> StoreOutcome {
        let outcome = try core.change(environment) { store, now in try store.trigger(request, at: now) }
        try await core.run()
        return outcome
    }

    /// Puts the clock forward. Everything until then has happened and was announced when this returns.
    @discardableResult
    public func advance(by period: Period) async throws -> AdvanceReport {
        try await core.advance(to: period.after(core.now))
    }

    /// Puts the clock forward by so many seconds.
    @discardableResult
    public func advance(by seconds: TimeInterval) async throws -> AdvanceReport {
        try await core.advance(to: core.now + seconds)
    }

    /// Puts the clock forward to an instant.
    @discardableResult
    public func advance(to date: Date) async throws -> AdvanceReport { try await core.advance(to: date) }

    /// Waits until every notification that is due has been sent.
    public func settle() async throws { try await core.run() }

    /// What a customer has.
    ///
    /// - Throws: ``StoreError/Code/unknownCustomer``.
    public func state(
        of customer: String, in environment: AppStoreEnvironment = .production
    ) throws -> CustomerState {
        try core.read(environment) { store, now in try store.state(of: customer, at: now) }
    }

    /// What all customers have, by name.
    public func states(in environment: AppStoreEnvironment = .production) -> [CustomerState] {
        core.read(environment) { store, now in store.states(at: now) }
    }

    /// How an environment behaves.
    public func settings(of environment: AppStoreEnvironment = .production) -> StoreSettings {
        core.read(environment) { store, _ in store.settings }
    }

    /// Changes how an environment behaves from now on.
    public func configure(
        _ environment: AppStoreEnvironment = .production, _ body: (inout StoreSettings) -> Void
    ) {
        core.change(environment) { store, _ in body(&store.settings) }
    }

    /// Switches a fault on.
    ///
    /// - Returns: The number to switch it off with.
    @discardableResult
    public func add(_ fault: Fault) throws -> Int {
        try core.state.withLock { state in try state.faults.add(fault) }
    }

    /// Switches one fault off, or all.
    public func removeFault(_ number: Int? = nil) throws {
        try core.state.withLock { state in try state.faults.remove(number) }
    }

    /// Puts a new leaf in the place of the one that signs. What was signed before stays valid.
    public func rotateSigningKey() throws {
        try core.authority.rotateLeaf(now: Date())
        try core.writeCertificates()
    }

    /// The unified receipt that a customer's device has, in base64. It is bound to ``deviceID(of:on:in:)``.
    ///
    /// - Parameter device: One of the customer's devices; nil for one that has no name.
    /// - Throws: ``StoreError/Code/noReceipt`` in the sandbox before the first purchase or `refreshReceipt`.
    public func receipt(
        of customer: String, on device: String? = nil, in environment: AppStoreEnvironment = .production
    ) throws -> String {
        try core.receipt(of: customer, on: device, in: environment).receipt.base64EncodedString()
    }

    /// The identifier for vendor of a customer's device, which its receipts are bound to.
    public func deviceID(
        of customer: String, on device: String? = nil, in environment: AppStoreEnvironment = .production
    ) throws -> UUID {
        try core.read(environment) { store, _ throws(StoreError) in try store.deviceID(of: customer, on: device) }
    }
}
