// A schema is one line where it can be: it is read by programs.
// swift-format-ignore-file
extension APIDescription {
    static let inbox = Subject(paths: #"""
          /v1/notifications:
            get:
              operationId: listNotifications
              tags: [notifications]
              summary: What was received, the last first
              description: Needs the scope operations:read. Only so many are looked through at a time; go on until next_page is null.
              parameters:
                - {name: type, in: query, schema: {type: string, minLength: 1, maxLength: 255}, description: A notificationType}
                - {name: subtype, in: query, schema: {type: string, minLength: 1, maxLength: 255}}
                - {name: state, in: query, schema: {$ref: "#/components/schemas/NotificationState"}}
                - {name: from, in: query, schema: {$ref: "#/components/schemas/Instant"}, description: Received then or later}
                - {name: to, in: query, schema: {$ref: "#/components/schemas/Instant"}, description: Received before}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of notifications
                  content: {application/json: {schema: {$ref: "#/components/schemas/NotificationList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/notifications/{id}:
            parameters: [{name: id, in: path, required: true, schema: {type: string, minLength: 1}, description: The notificationUUID}]
            get:
              operationId: getNotification
              tags: [notifications]
              summary: All that a notification says, verified again
              description: Needs the scope operations:read.
              parameters: [{$ref: "#/components/parameters/include"}]
              responses:
                "200":
                  description: The notification
                  content: {application/json: {schema: {$ref: "#/components/schemas/DecodedNotification"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/notifications/{id}/reprocess:
            parameters: [{name: id, in: path, required: true, schema: {type: string, minLength: 1}, description: The notificationUUID}]
            post:
              operationId: reprocessNotification
              tags: [notifications]
              summary: Read a notification again; what it led to is not told again
              description: Needs the scope operations:write.
              responses:
                "202":
                  description: It waits to be read
                  content: {application/json: {schema: {$ref: "#/components/schemas/Notification"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/refused:
            get:
              operationId: listRefused
              tags: [notifications]
              summary: What was refused, the last first, as far as there was room for it
              description: Needs the scope operations:read, and a key for all apps and environments.
              parameters: [{$ref: "#/components/parameters/page"}, {$ref: "#/components/parameters/limit"}]
              responses:
                "200":
                  description: A page of refusals
                  content: {application/json: {schema: {$ref: "#/components/schemas/RefusalList"}}}
                default: {$ref: "#/components/responses/error"}

        """#, schemas: #"""
            Origin: {type: string, enum: [delivered, recovered, asked, app, imported], description: How it came here}
            NotificationState: {type: string, enum: [pending, folded, failed]}
            NotificationList:
              type: object
              required: [object, items, next_page]
              properties: {object: {const: list}, items: {type: array, items: {$ref: "#/components/schemas/Notification"}}, next_page: {$ref: "#/components/schemas/NextPage"}}
            Notification:
              type: object
              required: [object, uuid, type, app, environment, signed_date, received_at, origin, state]
              properties:
                object: {const: notification}
                uuid: {type: string}
                type: {type: string, description: notificationType}
                subtype: {type: string}
                app: {type: string}
                environment: {type: string}
                signed_date: {$ref: "#/components/schemas/Instant"}
                received_at: {$ref: "#/components/schemas/Instant"}
                origin: {$ref: "#/components/schemas/Origin"}
                state: {$ref: "#/components/schemas/NotificationState"}
                failure: {type: string, description: "Why it could not be processed: what is in it cannot be believed, or the ledger is damaged"}
            DecodedNotification:
              allOf: [{$ref: "#/components/schemas/Notification"}]
              type: object
              required: [object, uuid, decoded, problems]
              properties:
                decoded: {type: object, description: "What was signed, in the App Store's own words", properties: {notification: {type: object}, transaction: {type: object}, renewal_info: {type: object}}}
                problems: {type: array, items: {type: object, required: [object, part, code, message], properties: {object: {const: problem}, part: {type: string}, code: {type: string}, message: {type: string}}}}
                signed_data: {type: string, description: The exact text that was received}
            RefusalList:
              type: object
              required: [object, items, next_page]
              properties: {object: {const: list}, items: {type: array, items: {$ref: "#/components/schemas/Refusal"}}, next_page: {$ref: "#/components/schemas/NextPage"}}
            Refusal:
              type: object
              required: [object, received_at, code, message, body]
              properties: {object: {const: refusal}, received_at: {$ref: "#/components/schemas/Instant"}, code: {type: string}, message: {type: string}, sender: {type: string, description: An address}, body: {type: string, description: Up to 64 KiB of what was sent}}

        """#)
}
