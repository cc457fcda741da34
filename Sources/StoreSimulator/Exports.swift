// Commands and states have types of AppStoreModels, and the methods for a developer's server return types of the other two.
// The re-exports save tests further imports and products.
@_exported public import AppStoreReceipts
@_exported public import AppStoreServer
// `CatalogueError` contains `ConfigurationProblem`, the only public type of the module. The re-export saves users a
// second import.
@_exported public import ConfigurationReading
