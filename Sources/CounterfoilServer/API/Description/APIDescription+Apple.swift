// swift-format-ignore-file
extension APIDescription {
    static let apple = Subject(paths: #"""
          /apple/notifications:
            post:
              operationId: receiveNotification
              tags: [app store]
              summary: Where the App Store sends its notifications, version 2, and version 1 of apps that were not switched over
              description: "Those of version 1 are taken only with an app's shared secret as password; without shared_secrets in the configuration they are refused."
              security: []
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/SignedPayload"}}}}
              responses:
                "200": {description: It is on disk}
                default: {$ref: "#/components/responses/error"}
          /apple/retention:
            post:
              operationId: answerRetention
              tags: [app store]
              summary: Where the App Store asks what to show somebody who is about to cancel
              security: []
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/SignedPayload"}}}}
              responses:
                "200":
                  description: Nothing of ours; the default message is shown
                  content: {application/json: {schema: {type: object}}}
                default: {$ref: "#/components/responses/error"}

        """#, schemas: #"""
            SignedPayload: {type: object, required: [signedPayload], properties: {signedPayload: {type: string, description: A JWS}}}

        """#)
}
