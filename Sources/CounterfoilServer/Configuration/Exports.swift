// `ConfigurationError` exposes `ConfigurationProblem`, the only public type of that module. The re-export spares users
// of this library a second import.
@_exported public import ConfigurationReading
