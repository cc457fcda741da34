package import AppStoreModels

/// Somebody who lives through a scenario beside the store, such as a developer's server under test.
package struct ScenarioCompanion: Sendable {
    /// Changes a command before it is carried out: a server signs it, for one. Commands that are to be refused are left alone.
    package let prepare: @Sendable (StoreCommand, AppStoreEnvironment) async throws -> StoreCommand
    /// Says after each step what the companion knows differently; empty if nothing.
    package let check: @Sendable () async throws -> [String]

    package init(
        prepare: @escaping @Sendable (StoreCommand, AppStoreEnvironment) async throws -> StoreCommand,
        check: @escaping @Sendable () async throws -> [String]
    ) {
        self.prepare = prepare
        self.check = check
    }
}
