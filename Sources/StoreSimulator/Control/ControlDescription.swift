internal import HTTPTypes

/// The OpenAPI 3.1 description of the control API: the file `openapi.yaml`, served as `/simulator/openapi.yaml`. A test
/// compares it with the routes.
package enum ControlDescription {
    /// All operations, each written as `POST /simulator/clock/advance`.
    package static var operations: [String] {
        ControlRoutes.operations.map { "\($0.method.rawValue) /simulator\($0.path)" }
    }

    /// The query parameters of all operations, each written as `POST /simulator/clock/advance wait`.
    package static var parameters: [String] {
        ControlRoutes.operations.flatMap { operation in
            operation.parameters.map { "\(operation.method.rawValue) /simulator\(operation.path) \($0)" }
        }
    }
}
