package import AppStoreModels

/// A participant in a scenario besides the store, such as a developer's server under test.
package struct ScenarioCompanion: Sendable {
    /// Changes a command before it is performed; for example, a server signs it. Not called for commands of `refuse`
    /// steps.
    package let prepare: @Sendable (StoreCommand, AppStoreEnvironment) async throws -> StoreCommand
    /// Returns the differences between the companion and the store after a step; empty if there are none.
    package let check: @Sendable () async throws -> [String]

    package init(
        prepare: @escaping @Sendable (StoreCommand, AppStoreEnvironment) async throws -> StoreCommand,
        check: @escaping @Sendable () async throws -> [String]
    ) {
        self.prepare = prepare
        self.check = check
    }
}
