// `ConfigurationProblem` is the one public name of it, and part of `CatalogueError`: who imports the library needs no second
// import.
@_exported public import ConfigurationReading
