// `CatalogueError` contains `ConfigurationProblem`, the only public type of the module. The re-export saves users a
// second import.
@_exported public import ConfigurationReading
