// A schema is one line where it can be: it is read by programs.
// swift-format-ignore-file
extension APIDescription {
    static let webhooks = Subject(paths: #"""
          /v1/webhooks:
            get:
              operationId: listWebhooks
              tags: [webhooks]
              summary: All endpoints that the key may manage
              description: Needs the scope webhooks:write.
              responses:
                "200":
                  description: All of them
                  content: {application/json: {schema: {$ref: "#/components/schemas/WebhookList"}}}
                default: {$ref: "#/components/responses/error"}
            post:
              operationId: createWebhook
              tags: [webhooks]
              summary: Make an endpoint; its secret is in this answer and in no other
              description: Needs the scope webhooks:write. A key for some apps or environments makes endpoints for those.
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/NewWebhook"}}}}
              responses:
                "201":
                  description: The endpoint
                  content: {application/json: {schema: {$ref: "#/components/schemas/Webhook"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}:
            parameters: [{name: name, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 100}}]
            get:
              operationId: getWebhook
              tags: [webhooks]
              summary: One endpoint
              description: Needs the scope webhooks:write, and a key for all that is sent there.
              responses:
                "200":
                  description: The endpoint
                  content: {application/json: {schema: {$ref: "#/components/schemas/Webhook"}}}
                default: {$ref: "#/components/responses/error"}
            patch:
              operationId: changeWebhook
              tags: [webhooks]
              summary: Change an endpoint, switch it on or off, change its secrets
              description: "Needs the scope webhooks:write, and a key for all that is sent there. What is left out stays. Those of the configuration file are changed there, but can be switched on and off here."
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/WebhookChange"}}}}
              responses:
                "200":
                  description: The endpoint, with its new secret if there is one
                  content: {application/json: {schema: {$ref: "#/components/schemas/Webhook"}}}
                default: {$ref: "#/components/responses/error"}
            delete:
              operationId: removeWebhook
              tags: [webhooks]
              summary: Remove an endpoint, with what is on its way to it
              description: Needs the scope webhooks:write, and a key for all that is sent there.
              responses:
                "204": {description: It is gone}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}/deliveries:
            parameters: [{name: name, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 100}}]
            get:
              operationId: listDeliveries
              tags: [webhooks]
              summary: What was and is to be sent there, the last first
              description: Needs the scope webhooks:write, and a key for all that is sent there.
              parameters: [{name: state, in: query, schema: {$ref: "#/components/schemas/DeliveryState"}}, {$ref: "#/components/parameters/page"}, {$ref: "#/components/parameters/limit"}]
              responses:
                "200":
                  description: A page of deliveries
                  content: {application/json: {schema: {$ref: "#/components/schemas/WebhookDeliveryList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}/replay:
            parameters: [{name: name, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 100}}]
            post:
              operationId: replayEvents
              tags: [webhooks]
              summary: Send one event again, or all of a time
              description: "Needs the scope webhooks:write, and a key for all that is sent there. Say event_id, or from and to. What is newer about the purchases follows again where it is not sent anyway, and is not counted. One request looks at some 200,000 events and makes about 10,000 deliveries at most; ask again with the after of the answer until is_complete."
              requestBody: {required: true, content: {application/json: {schema: {type: object, additionalProperties: false, properties: {event_id: {type: string}, from: {$ref: "#/components/schemas/Instant"}, to: {$ref: "#/components/schemas/Instant"}, after: {type: integer, format: int64}}}}}}
              responses:
                "202":
                  description: What was made
                  content: {application/json: {schema: {$ref: "#/components/schemas/WebhookReplay"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}/test:
            parameters: [{name: name, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 100}}]
            post:
              operationId: testWebhook
              tags: [webhooks]
              summary: Send an event that says nothing, webhook.test
              description: Needs the scope webhooks:write, and a key for all that is sent there.
              responses:
                "202":
                  description: The delivery
                  content: {application/json: {schema: {$ref: "#/components/schemas/WebhookDelivery"}}}
                default: {$ref: "#/components/responses/error"}

        """#, schemas: #"""
            WebhookPayload: {type: string, enum: [counterfoil, compatible]}
            NewWebhook:
              type: object
              required: [name, url]
              additionalProperties: false
              properties: {name: {type: string, minLength: 1, maxLength: 100}, url: {type: string, format: uri}, events: {type: [array, "null"], minItems: 1, maxItems: 100, items: {type: string}, description: "Types such as subscription.renewed or subscription.*, which match an event that there is; null: all"}, payload: {$ref: "#/components/schemas/WebhookPayload"}, apps: {type: [array, "null"], minItems: 1, items: {type: string}, description: "Bundle IDs; null: all"}, environments: {type: [array, "null"], minItems: 1, items: {type: string, enum: [Production, Sandbox]}, description: "null: both"}}
            WebhookChange:
              type: object
              minProperties: 1
              additionalProperties: false
              properties: {url: {type: string, format: uri}, events: {type: [array, "null"], minItems: 1, maxItems: 100, items: {type: string}, description: "Types such as subscription.renewed or subscription.*, which match an event that there is; null: all"}, payload: {$ref: "#/components/schemas/WebhookPayload"}, apps: {type: [array, "null"], minItems: 1, items: {type: string}, description: "Bundle IDs; null: all"}, environments: {type: [array, "null"], minItems: 1, items: {type: string, enum: [Production, Sandbox]}, description: "null: both"}, enabled: {type: boolean}, discard_backlog: {type: boolean, description: Forget what waits to be sent; begin at the present}, add_secret: {type: boolean}, retire_secret: {type: string, description: The fingerprint of a secret}}
            Webhook:
              type: object
              required: [object, name, url, events, payload, apps, environments, is_configured, enabled, secrets, created_at]
              properties:
                object: {const: webhook}
                name: {type: string}
                url: {type: string}
                events: {type: [array, "null"], items: {type: string}}
                payload: {$ref: "#/components/schemas/WebhookPayload"}
                apps: {type: [array, "null"], items: {type: string}}
                environments: {type: [array, "null"], items: {type: string}}
                is_configured: {type: boolean, description: Whether it is one of the configuration file}
                enabled: {type: boolean}
                disabled_reason: {type: string, enum: [gone, failing, requested]}
                disabled_since: {$ref: "#/components/schemas/Instant"}
                failing_since: {$ref: "#/components/schemas/Instant"}
                secrets: {type: array, items: {type: object, required: [object, fingerprint], properties: {object: {const: webhook_secret}, fingerprint: {type: string}}}}
                created_at: {$ref: "#/components/schemas/Instant"}
                secret: {type: string, description: Only where it was just made}
            WebhookList:
              type: object
              required: [object, items, next_page]
              properties: {object: {const: list}, items: {type: array, items: {$ref: "#/components/schemas/Webhook"}}, next_page: {$ref: "#/components/schemas/NextPage"}}
            DeliveryState: {type: string, enum: [pending, delivered, failed, discarded]}
            WebhookDelivery:
              type: object
              required: [object, id, event_id, event_type, event_sequence, state, attempts, created_at]
              properties:
                object: {const: webhook_delivery}
                id: {type: string}
                event_id: {type: string}
                event_type: {type: string}
                event_sequence: {type: integer, format: int64}
                is_repeat: {type: boolean, description: Whether the event is said again after an older one that became known late}
                state: {$ref: "#/components/schemas/DeliveryState"}
                attempts: {type: integer}
                next_attempt_at: {$ref: "#/components/schemas/Instant"}
                last_status: {type: integer, description: The HTTP status of the last answer}
                last_error: {type: string}
                created_at: {$ref: "#/components/schemas/Instant"}
                ended_at: {$ref: "#/components/schemas/Instant"}
            WebhookDeliveryList:
              type: object
              required: [object, items, next_page]
              properties: {object: {const: list}, items: {type: array, items: {$ref: "#/components/schemas/WebhookDelivery"}}, next_page: {$ref: "#/components/schemas/NextPage"}}
            WebhookReplay:
              type: object
              required: [object, deliveries, is_complete]
              properties: {object: {const: webhook_replay}, deliveries: {type: integer}, is_complete: {type: boolean}, after: {type: integer, format: int64, description: Where the rest begins}}

        """#)
}
