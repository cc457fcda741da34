// A schema is one line where it can be: it is read by programs.
// swift-format-ignore-file
extension APIDescription {
    static let recovery = Subject(paths: #"""
          /v1/completeness:
            get:
              operationId: getCompleteness
              tags: [recovery]
              summary: Up to when nothing is missing, how that is known, and what is missing
              description: Needs the scope operations:read. One item for each app and environment of the key. complete_until lies before the first notification that was read and cannot be believed, read_until is how far the history was read. Of unverified_spans, unverified_items and histories there are 20 at most.
              responses:
                "200":
                  description: All of them
                  content: {application/json: {schema: {$ref: "#/components/schemas/CompletenessList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/recoveries:
            get:
              operationId: listRecoveries
              tags: [recovery]
              summary: Readings of the notification history, the last first
              description: Needs the scope operations:read. The last thousand are remembered.
              parameters: [{$ref: "#/components/parameters/page"}, {$ref: "#/components/parameters/limit"}]
              responses:
                "200":
                  description: A page of recoveries
                  content: {application/json: {schema: {$ref: "#/components/schemas/RecoveryList"}}}
                default: {$ref: "#/components/responses/error"}
            post:
              operationId: startRecovery
              tags: [recovery]
              summary: Read a part of the notification history again
              description: Needs the scope operations:write. What is new goes the way of every notification; what is known stays.
              parameters: [{$ref: "#/components/parameters/app"}, {$ref: "#/components/parameters/environment"}]
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [from]
                      additionalProperties: false
                      properties:
                        from: {$ref: "#/components/schemas/Instant"}
                        to: {$ref: "#/components/schemas/Instant", description: "The end; the server's now if it is left out"}
                        types: {type: array, maxItems: 100, items: {type: string}, description: "Only these kinds, such as EXPIRED (with every subtype) or EXPIRED.VOLUNTARY"}
              responses:
                "202":
                  description: It waits or is under way
                  headers: {Location: {schema: {type: string}}}
                  content: {application/json: {schema: {$ref: "#/components/schemas/Recovery"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/recoveries/{id}:
            parameters: [{name: id, in: path, required: true, schema: {type: string, minLength: 1}}]
            get:
              operationId: getRecovery
              tags: [recovery]
              summary: How far a recovery has come
              description: Needs the scope operations:read.
              responses:
                "200":
                  description: The recovery
                  content: {application/json: {schema: {$ref: "#/components/schemas/Recovery"}}}
                default: {$ref: "#/components/responses/error"}

        """#, schemas: #"""
            CompletenessList:
              type: object
              required: [object, items, next_page]
              properties: {object: {const: list}, items: {type: array, items: {$ref: "#/components/schemas/Completeness"}}, next_page: {$ref: "#/components/schemas/NextPage"}}
            Completeness:
              type: object
              required: [object, app, environment, state, missing]
              properties:
                object: {const: completeness}
                app: {type: string}
                environment: {type: string}
                state: {type: string, enum: [complete, catching_up, behind, unknown]}
                reason: {type: string, description: Why it is not complete, and what to do}
                complete_since: {$ref: "#/components/schemas/Instant"}
                complete_until: {$ref: "#/components/schemas/Instant"}
                read_until: {$ref: "#/components/schemas/Instant"}
                known_by:
                  type: object
                  required: [by, checked_at]
                  properties: {by: {type: string, enum: [notification_history]}, checked_at: {$ref: "#/components/schemas/Instant"}}
                age_ms: {type: integer, description: How long ago complete_until is}
                missing:
                  type: object
                  required: [open_windows, unverified, unverified_spans, failed_notifications, backlog, histories_waiting, histories_put_aside, histories_failed]
                  properties:
                    open_windows: {type: integer, description: Parts of the time that are still being read}
                    unverified: {type: integer, description: "Items of the App Store's answers that cannot be believed, at most 10,000"}
                    unverified_spans: {type: integer, description: Times whose notifications cannot all be believed}
                    failed_notifications: {type: integer, description: Notifications that are kept and whose inside cannot be believed}
                    backlog: {type: integer, description: Notifications that wait to be read}
                    histories_waiting: {type: integer, description: Transactions whose history is still to be asked for}
                    histories_put_aside: {type: integer, description: "Those among them that were asked for in vain, and will be again"}
                    histories_failed: {type: integer, description: Transactions that the App Store does not know}
                unverified_spans:
                  type: array
                  description: Times whose notifications cannot all be believed, the first ones first; they are read again
                  items:
                    type: object
                    required: [from, to]
                    properties: {from: {$ref: "#/components/schemas/Instant"}, to: {$ref: "#/components/schemas/Instant"}}
                unverified_items:
                  type: array
                  description: What cannot be believed, the last first
                  items:
                    type: object
                    required: [code, message, noticed_at]
                    properties:
                      notification: {type: string, description: The notification that it says it is}
                      transaction: {type: string, description: The transaction whose history held it}
                      code: {type: string}
                      message: {type: string}
                      noticed_at: {$ref: "#/components/schemas/Instant"}
                histories:
                  type: array
                  description: "Transactions whose history the App Store does not tell: asked for again (put_aside), or not known to it (failed)"
                  items:
                    type: object
                    required: [transaction, state, attempts]
                    properties:
                      transaction: {type: string}
                      state: {type: string, enum: [put_aside, failed]}
                      code: {type: string}
                      attempts: {type: integer}
                      next_attempt_at: {$ref: "#/components/schemas/Instant"}
            RecoveryList:
              type: object
              required: [object, items, next_page]
              properties: {object: {const: list}, items: {type: array, items: {$ref: "#/components/schemas/Recovery"}}, next_page: {$ref: "#/components/schemas/NextPage"}}
            Recovery:
              type: object
              required: [object, id, app, environment, cause, state, from, to, types, created_at, windows, open_windows, pages, found, new, duplicates, failed]
              properties:
                object: {const: recovery}
                id: {type: string}
                app: {type: string}
                environment: {type: string}
                cause: {type: string, enum: [start, schedule, outage, request]}
                state: {type: string, enum: [open, done, failed]}
                from: {$ref: "#/components/schemas/Instant"}
                to: {$ref: "#/components/schemas/Instant"}
                types: {type: array, items: {type: string}, description: Empty for all}
                created_at: {$ref: "#/components/schemas/Instant"}
                finished_at: {$ref: "#/components/schemas/Instant"}
                windows: {type: integer}
                open_windows: {type: integer}
                pages: {type: integer}
                found: {type: integer, description: Notifications on those pages}
                new: {type: integer}
                duplicates: {type: integer}
                failed: {type: integer, description: Those that cannot be believed}
                failure: {type: string, description: What went wrong last}

        """#)
}
