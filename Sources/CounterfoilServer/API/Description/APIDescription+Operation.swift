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
                "200": {description: It does}
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

        """#, schemas: "")
}
