internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The server's API in OpenAPI 3.1: what `/openapi.yaml` answers. A test holds it to the routes and to their answers.
package enum APIDescription {
    /// A part of it: paths, and the schemas that only they use.
    struct Subject {
        var paths: String
        var schemas: String
    }

    /// Every subject is in a file of its own; a new one is added here.
    private static let subjects = [customers, purchases, lookup, inbox, recovery, webhooks, apple, operation]

    package static let text =
        head + subjects.map(\.paths).joined() + components + schemas + subjects.map(\.schemas).joined()

    static var response: Response {
        Response(
            status: .ok, headers: [.contentType: "application/yaml"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private static let head = #"""
        openapi: 3.1.0
        info:
          title: Counterfoil
          version: "1"
          summary: What customers bought on the App Store, and why
          description: Instants are milliseconds since 1970. What is not known is left out. Members may be added at any time.
          license: {name: MIT, identifier: MIT}
        servers: [{url: /}]
        security: [{key: []}, {key: [], customerToken: []}]
        paths:

        """#

    private static let components = #"""
        components:
          securitySchemes:
            key: {type: http, scheme: bearer, description: A key of the configuration; counterfoil keys create makes one}
            customerToken: {type: apiKey, in: header, name: Counterfoil-Customer-Token, description: "For keys that are shipped in an app: a JWT of the app's backend, HS256 with customer_token_secret; sub is the customer, exp at most a day after iat"}
          parameters:
            customer: {name: id, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 255}, description: "The app's name for the customer, in Unicode Normalization Form C; the appAccountToken of purchases is one"}
            app: {name: app, in: query, schema: {type: string}, description: The bundle ID; may be left out where there is one app}
            environment: {name: environment, in: query, schema: {type: string, enum: [Production, Sandbox]}, description: Production unless the app has none}
            at: {name: at, in: query, schema: {$ref: "#/components/schemas/Instant"}, description: As it was at an instant}
            page: {name: page, in: query, schema: {type: string}, description: What next_page said}
            limit: {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 100, default: 50}}
            include: {name: include, in: query, schema: {type: string, enum: [signed_data]}, description: The exact texts that were signed}
          responses:
            error:
              description: Refused, or not possible at the moment
              content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}
          schemas:

        """#

    private static let schemas = #"""
            Instant: {type: integer, format: int64, minimum: -8640000000000000, maximum: 8640000000000000, description: Milliseconds since 1970}
            Error:
              type: object
              required: [object, type, message, retryable]
              properties:
                object: {const: error}
                type: {type: string, description: A word for programs}
                message: {type: string, description: A sentence for people}
                retryable: {type: boolean, description: Whether the same request may succeed later}
                backoff_ms: {type: integer, description: How long to wait before}
                param: {type: string, description: The parameter that is wrong}
            NextPage: {type: [string, "null"], description: What page takes; null when this is the last}

        """#
}
