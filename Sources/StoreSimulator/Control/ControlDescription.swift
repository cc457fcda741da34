internal import HTTPTypes

/// The control API in OpenAPI 3.1: `openapi.yaml` beside this file, which `/simulator/openapi.yaml` answers. A test holds it
/// to the routes.
package enum ControlDescription {
    /// Every operation that there is, as `POST /simulator/clock/advance`.
    package static var operations: [String] {
        ControlRoutes.operations.map { "\($0.method.rawValue) /simulator\($0.path)" }
    }
}
