// swift-format-ignore-file
extension APIDescription {
    static let operation = Subject(paths: #"""
          /health/live:
            get:
              operationId: isLive
              tags: [operation]
              summary: Whether the process answers
              security: []
              responses:
                "200":
                  description: It does
                  content: {application/json: {schema: {type: object, required: [object, status], properties: {object: {const: health}, status: {const: live}}}}}
                default: {$ref: "#/components/responses/error"}
          /health/ready:
            get:
              operationId: isReady
              tags: [operation]
              summary: Whether requests should come here
              security: []
              responses:
                "200":
                  description: They should
                  content: {application/json: {schema: {$ref: "#/components/schemas/Readiness"}}}
                "503":
                  description: They should not; the parts say why
                  content: {application/json: {schema: {$ref: "#/components/schemas/Readiness"}}}
                default: {$ref: "#/components/responses/error"}
          /metrics:
            get:
              operationId: getMetrics
              tags: [operation]
              summary: What the server counts and measures, as Prometheus reads it
              description: Needs the scope operations:read, or to be asked from the server's own machine where listen.metrics is local.
              security: [{}, {key: []}]
              responses:
                "200": {description: The text format of Prometheus, content: {text/plain: {schema: {type: string}}}}
                "404": {description: "metrics_not_exposed: another backend has them", content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}}
                default: {$ref: "#/components/responses/error"}
          /openapi.yaml:
            get:
              operationId: getDescription
              tags: [operation]
              summary: This description
              security: []
              responses:
                "200": {description: OpenAPI 3.1, content: {application/yaml: {schema: {type: object, required: [openapi, paths]}}}}
                default: {$ref: "#/components/responses/error"}

        """#, schemas: #"""
            Readiness:
              type: object
              required: [object, status, parts]
              properties: {object: {const: health}, status: {type: string, enum: [ready, not_ready]}, parts: {type: array, items: {type: object, required: [name, status], properties: {name: {type: string, enum: [server, ledger]}, status: {type: string, description: "ok, draining, or what is wrong"}}}}}

        """#)
}
