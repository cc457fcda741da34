internal import HTTPTypes

/// The control API in OpenAPI 3.1: what `/simulator/openapi.yaml` answers. A test holds it to the routes.
package enum ControlDescription {
    package static let text = head + paths + components + schemas

    /// Every operation that there is, as `POST /simulator/clock/advance`.
    package static var operations: [String] {
        ControlRoutes.operations.map { "\($0.0.rawValue) /simulator\($0.1)" }
    }

    private static let head = #"""
        openapi: 3.1.0
        info:
          title: Simulator control API
          version: "1"
          description: What a simulated App Store is commanded with. Instants are milliseconds since 1970; ISO 8601 is read as well.
        servers: [{url: "http://127.0.0.1:{port}", variables: {port: {default: "8090"}}}]
        paths:

        """#

    private static let components = #"""
        components:
          parameters:
            environment: {name: environment, in: path, required: true, schema: {enum: [production, sandbox]}}
            customer: {name: customer, in: path, required: true, schema: {type: string}}
            notificationUUID: {name: notificationUUID, in: path, required: true, schema: {type: string, format: uuid}}
            number: {name: number, in: path, required: true, schema: {type: integer}}
            name: {name: name, in: path, required: true, schema: {type: string}}
            page: {name: page, in: query, schema: {type: string}, description: What next_page said}
            limit: {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 1000, default: 100}}
            ofCustomer: {name: customer, in: query, schema: {type: string}}
          responses:
            error:
              description: Refused
              content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}
          schemas:

        """#
}
