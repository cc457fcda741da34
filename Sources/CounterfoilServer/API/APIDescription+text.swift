// Made by Scripts/embed from openapi.yaml beside it. Change that file, not this one.
// swift-format-ignore-file

extension APIDescription {
    /// The text of the file.
    package static let text = #"""
        # What /openapi.yaml answers. After a change run Scripts/embed. Tests hold it to the routes and their answers.
        openapi: 3.1.0
        info:
          title: Counterfoil
          version: "1"
          summary: What customers bought on the App Store, and why
          description: >-
            Instants in answers are milliseconds since 1970: `_date` is Apple's, `_at` is ours. Where one is sent, as a
            parameter or in a body, ISO 8601 does as well, with a zone. What is not known is left out. Members may be added at
            any time, and words to Apple's lists. Every answer has the header x-request-id, by which the server's log calls the
            request; errors repeat it as request_id. A method that a path does not take is answered with 405 and the header
            Allow.
            Parameters of the query that a route does not have are refused with 400 (unknown_parameter). A POST below /v1
            may have the header Idempotency-Key (with a key in an app it is not looked at), 1 to 255 visible ASCII
            characters: for a day the same request with the same key gets the same answer, with the header
            Idempotent-Replayed, and nothing is done again; another request with that key is refused with 422
            (idempotency_key_reused). What failed with 5xx or 429 is not remembered.
          license: {name: MIT, identifier: MIT}
        servers:
          - {url: /}
        security:
          - {key: []}
          - {key: [], customerToken: []}
        paths:
          /v1/customers/{id}:
            get:
              operationId: getCustomer
              tags: [customers]
              summary: What a customer has; one who is not known has nothing
              description: >-
                Needs the scope customers:read. `at` an instant in the past: what belonged to the customer then, by
                what was signed until then. Before anybody claimed a purchase it was theirs who claimed it first. More
                than 2,000 notifications are refused with 422 (too_many_texts).
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/at"}
                - {$ref: "#/components/parameters/nonce"}
              responses:
                "200":
                  description: The customer
                  headers:
                    Counterfoil-Signature: {$ref: "#/components/headers/signature"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Customer"}
                default: {$ref: "#/components/responses/error"}
            delete:
              operationId: eraseCustomer
              tags: [customers]
              summary: Erases what is kept of a person
              description: >-
                Needs the scope customers:erase. Claims lose the name; grants, usage and remembered answers go. What the
                App Store signed stays, and is nobody's. docs/privacy.md says what is kept, and why.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: What was done
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Erasure"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/timeline:
            get:
              operationId: getTimeline
              tags: [customers]
              summary: What happened to a customer, newest first
              description: >-
                Needs the scope customers:read. What the App Store told of purchases while they were the customer's,
                and when purchases came to them and went from them.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/at"}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of the timeline
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/TimelineEntryList"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/timeline/{uuid}:
            get:
              operationId: getTimelineEntry
              tags: [customers]
              summary: One notification of a customer's timeline, with all that it says, verified again
              description: Needs the scope support:read.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - name: uuid
                  in: path
                  required: true
                  schema: {type: string, minLength: 1}
                  description: The notificationUUID
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The notification
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/DecodedNotification"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/claims:
            get:
              operationId: listClaims
              tags: [customers]
              summary: Whose the purchases are that a customer has or had, and what makes them so
              description: Needs the scope support:read. By original transaction.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/at"}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: Some of the purchases
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [object, items, next_page]
                        properties:
                          object: {const: list}
                          items: {type: array, items: {$ref: "#/components/schemas/Claim"}}
                          next_page: {$ref: "#/components/schemas/NextPage"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/entitlements/{key}/explain:
            get:
              operationId: explainEntitlement
              tags: [customers]
              summary: Why a customer has an entitlement, or has not; every fact is verified again
              description: >-
                Needs the scope customers:read. What was proven is remembered for an hour. More than 2,000 signed
                texts are refused with 422 (too_many_texts).
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {name: key, in: path, required: true, schema: {type: string, minLength: 1}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/at"}
                - {$ref: "#/components/parameters/include"}
              responses:
                "200":
                  description: The explanation
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Explanation"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/purchases:
            post:
              operationId: reportPurchases
              tags: [customers]
              summary: What the app knows of its customer's purchases; answers the customer
              description: >-
                Needs the scope customers:write. All that is sent must be of one app and one environment, which need
                not be named then. The App Store is asked for the rest of the Apple account's history. With a public
                key it is asked about one Apple account once a minute at most. What belongs to another customer is
                decided by the app's restore policy, and what the App Store signed for another account, by its account
                token, moves by `restore: true` alone; receipt_already_in_use says that it stays there. Each transaction is
                judged by itself: `kept` names those to finish, `refused` the others. Where nothing is kept the answer is an
                error: 400, or 409 receipt_already_in_use (not with `restore: false`).
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/nonce"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/PurchaseReport"}
              responses:
                "200":
                  description: >-
                    The customer, as GET answers it. The member history is there only when the App Store could not be
                    asked for everything.
                  headers:
                    Counterfoil-Signature: {$ref: "#/components/headers/signature"}
                  content:
                    application/json:
                      schema:
                        allOf:
                          - {$ref: "#/components/schemas/Customer"}
                          - type: object
                            required: [kept, refused]
                            properties:
                              kept:
                                type: array
                                description: The transactions that are on disk and the customer's
                                items: {type: string}
                              refused:
                                type: array
                                description: What was sent and is not
                                items: {$ref: "#/components/schemas/RefusedTransaction"}
                              history: {$ref: "#/components/schemas/History"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/merge:
            post:
              operationId: mergeCustomers
              tags: [customers]
              summary: Gives everything that one customer has to another, such as an anonymous one's to an account
              description: >-
                Needs the scope customers:write. With a public key both customers have to be proven: the account by
                its customer token, the other one by from_token. Of one app and one environment. Doing it again
                changes nothing, and takes what has come to the other customer since.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/nonce"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/Merge"}
              responses:
                "200":
                  description: The customer, as GET answers it
                  headers:
                    Counterfoil-Signature: {$ref: "#/components/headers/signature"}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Customer"}
                default: {$ref: "#/components/responses/error"}
          /v1/keys:
            get:
              operationId: listAnswerKeys
              tags: [customers]
              summary: The public keys that answers are signed with, to be put into the apps
              description: >-
                Needs the scope customers:read. Read them once, where nobody is in between: an app that asks for its keys proves
                nothing by them.
              responses:
                "200":
                  description: The keys of the apps that have one
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/AnswerKeyList"}
                default: {$ref: "#/components/responses/error"}
          /v1/sessions:
            post:
              operationId: beginSession
              tags: [customers]
              summary: A customer token for whoever shows an app transaction, for apps without a backend of their own
              description: >-
                Needs the scope customers:write and a customer_token_secret of the app; a public key needs no
                customer token here. The customer is anonymous and follows from the Apple account. The token reads
                what the customer has and reports what the Apple account itself bought, and does nothing else.
              security:
                - {key: []}
              parameters:
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/SessionRequest"}
              responses:
                "200":
                  description: The session
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Session"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/grants:
            post:
              operationId: createGrant
              tags: [customers]
              summary: Gives a customer an entitlement without a purchase
              description: >-
                Needs the scope grants:write. For goodwill, web shops, employees: it is never mixed up with what the App Store
                signed. A customer has 100 grants that run at most (422 too_many_grants).
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NewGrant"}
              responses:
                "201":
                  description: The grant
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Grant"}
                default: {$ref: "#/components/responses/error"}
            get:
              operationId: listGrants
              tags: [customers]
              summary: The grants of a customer, the first that was made first
              description: Needs the scope customers:read. With a public key without reasons and actors.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of grants
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/GrantList"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/grants/{grant}/revoke:
            post:
              operationId: revokeGrant
              tags: [customers]
              summary: Takes a grant back; one that was taken back stays as it is
              description: Needs the scope grants:write. One that has ended is refused with 409 (grant_expired).
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {name: grant, in: path, required: true, schema: {type: string, minLength: 1}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/GrantRevocation"}
              responses:
                "200":
                  description: The grant
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Grant"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/entitlements/{key}:
            get:
              operationId: getEntitlement
              tags: [customers]
              summary: Whether a customer has an entitlement
              description: >-
                Needs the scope customers:read.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {name: key, in: path, required: true, schema: {type: string, minLength: 1}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/at"}
              responses:
                "200":
                  description: The entitlement
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/CustomerEntitlement"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/refunds:
            get:
              operationId: listRefunds
              tags: [support]
              summary: What the App Store refunded to a customer, the last first; asks the App Store
              description: >-
                Needs the scope support:read. What it answers is kept.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: All of them
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/TransactionList"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/refresh:
            post:
              operationId: refreshCustomer
              tags: [support]
              summary: Asks the App Store for all that a customer's Apple accounts bought
              description: >-
                Needs the scope support:write. Answers the customer.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The customer; refreshed says how many Apple accounts were asked about
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/RefreshedCustomer"}
                default: {$ref: "#/components/responses/error"}
          /v1/subscriptions/{id}:
            get:
              operationId: getSubscription
              tags: [customers]
              summary: How a subscription stands, by its original transaction
              description: >-
                Needs the scope customers:read.
              parameters:
                - {name: id, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 64}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The subscription
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/OwnedSubscription"}
                default: {$ref: "#/components/responses/error"}
          /v1/subscriptions/{id}/extend:
            post:
              operationId: extendSubscription
              tags: [support]
              summary: Gives a subscriber more days
              description: >-
                Needs the scope support:write. The App Store does it twice in 365 days at most. What it says afterwards is kept.
              parameters:
                - {name: id, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 64}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NewExtension"}
              responses:
                "200":
                  description: How it went
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/RenewalExtension"}
                default: {$ref: "#/components/responses/error"}
          /v1/extensions:
            post:
              operationId: extendAllSubscriptions
              tags: [support]
              summary: Gives all active subscribers of a product more days
              description: >-
                Needs the scope support:write. It takes the App Store hours or days.
              parameters:
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NewMassExtension"}
              responses:
                "202":
                  description: It was taken
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/MassExtension"}
                default: {$ref: "#/components/responses/error"}
          /v1/extensions/{id}:
            get:
              operationId: getExtension
              tags: [support]
              summary: How far giving all subscribers more days has come
              description: >-
                Needs the scope support:read.
              parameters:
                - {name: id, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 64}}
                - {name: product_id, in: query, required: true, schema: {type: string, minLength: 1, maxLength: 255}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: How far it has come
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/MassExtension"}
                default: {$ref: "#/components/responses/error"}
          /v1/transactions/{id}/recover:
            post:
              operationId: recoverTransaction
              tags: [support]
              summary: Asks the App Store about a transaction, with all that its Apple account bought
              description: >-
                Needs the scope support:write.
              parameters:
                - {name: id, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 64}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The transaction
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Transaction"}
                default: {$ref: "#/components/responses/error"}
          /v1/purchases:
            get:
              operationId: listUnclaimedPurchases
              tags: [support]
              summary: What was paid for and is no customer's
              description: >-
                Needs the scope support:read. Only so many are looked through at a time; go on until next_page is null.
              parameters:
                - {name: claimed, in: query, required: true, schema: {type: string, enum: ["false"]}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of purchases, by original transaction
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/UnclaimedPurchaseList"}
                default: {$ref: "#/components/responses/error"}
          /v1/segments:
            get:
              operationId: listSegments
              tags: [support]
              summary: The lists of purchases that a team acts on
              description: Needs the scope support:read.
              parameters:
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: All of them, and how many purchases are in each now
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/SegmentList"}
                default: {$ref: "#/components/responses/error"}
          /v1/segments/{name}:
            get:
              operationId: listSegmentMembers
              tags: [support]
              summary: The purchases in a segment now, and whose they are
              description: >-
                Needs the scope support:read. Those that end first come first; of in_billing_retry, win_back_eligible and
                refunded the latest. Only so many are looked through at a time; go on until next_page is null. With
                `format=csv`, or the header `Accept: text/csv`, it is a table for a spreadsheet, and the header `Link` says
                where the next page is.
              parameters:
                - name: name
                  in: path
                  required: true
                  schema: {$ref: "#/components/schemas/SegmentName"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - name: within_days
                  in: query
                  schema: {type: integer, minimum: 1, maximum: 3660}
                  description: Only those that end, or began, within so many days
                - name: reason
                  in: query
                  schema: {type: string, minLength: 1, maxLength: 255}
                  description: Only those with this reason
                - {name: format, in: query, schema: {type: string, enum: [json, csv]}}
                - {$ref: "#/components/parameters/page"}
                - name: limit
                  in: query
                  schema: {type: integer, minimum: 1, maximum: 1000, default: 50}
                  description: More than 100 only of a table
              responses:
                "200":
                  description: A page of them
                  headers:
                    Link: {schema: {type: string}, description: The next page of a table}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/SegmentMemberList"}
                    text/csv:
                      schema: {type: string}
                default: {$ref: "#/components/responses/error"}
          /v1/search:
            get:
              operationId: search
              tags: [customers]
              summary: Find what somebody has in a ticket by its exact identifier
              description: >-
                Needs the scope support:read. Tries transactions and original transactions, events, notifications and
                customers, and says what it tried. Orders are known to the App Store only; see getOrder.
              parameters:
                - {name: q, in: query, required: true, schema: {type: string, minLength: 1, maxLength: 255}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: What was tried and found
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Search"}
                default: {$ref: "#/components/responses/error"}
          /v1/decode:
            post:
              operationId: decode
              tags: [customers]
              summary: Verify and read signed data, a receipt, certificates or a webhook
              description: >-
                Needs the scope support:read. Nothing is kept or logged. The body is what is to be read, up to 4 MiB: a JWS,
                JSON with a signedPayload, a receipt in base64 or as bytes, an answer of verifyReceipt, a chain in PEM, or a
                webhook of this server as headers, an empty line and the body (needs webhooks:write besides).
              parameters:
                - name: at
                  in: query
                  description: The instant to judge at; when it was signed, unless it is said
                  schema: {$ref: "#/components/schemas/Instant"}
                - name: revocation
                  in: query
                  description: Whether Apple's responders are asked
                  schema: {type: string, enum: ["off", soft], default: "off"}
              requestBody:
                required: true
                content:
                  application/octet-stream:
                    schema: {type: string, format: binary}
              responses:
                "200":
                  description: The verdict, for what is refused too
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Decoded"}
                default: {$ref: "#/components/responses/error"}
          /v1/audit:
            get:
              operationId: listAudit
              tags: [operations]
              summary: Who did what, the last first
              description: >-
                Needs the scope audit:read, and a key for all apps and environments. Has what was written with a key or in the
                console, sign-ins and refusals; kept for 400 days. Each entry is chained to the one before by its digest.
                With `format=csv` it is a table, and the header `Link` says where the next page is.
              parameters:
                - {$ref: "#/components/parameters/page"}
                - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 1000, default: 50}}
                - {name: format, in: query, schema: {type: string, enum: [json, csv], default: json}}
              responses:
                "200":
                  description: A page of the log
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/AuditList"}
                    text/csv:
                      schema: {type: string}
                default: {$ref: "#/components/responses/error"}
          /v1/events:
            get:
              operationId: listEvents
              tags: [webhooks]
              summary: The events of webhooks, for who cannot receive any
              description: >-
                Needs the scope operations:read. The oldest first; the objects and the promise about their order are those
                of webhooks. `page=end` begins at the present. Keep next_page and ask again later: it is always there.
              parameters:
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: Some events
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/EventList"}
                default: {$ref: "#/components/responses/error"}
          /v1/events/{id}/deliveries:
            get:
              operationId: listDeliveriesOfEvent
              tags: [webhooks]
              summary: What became of one event at each endpoint, with all attempts
              description: >-
                Needs the scope webhooks:write, and shows the endpoints that the key may manage. The last delivery first;
                a delivery is kept for thirty days after its end. The event of a notification is evt_ and its
                notificationUUID.
              parameters:
                - {name: id, in: path, required: true, schema: {type: string, minLength: 1}, description: The event's id}
              responses:
                "200":
                  description: The deliveries
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [object, items, next_page]
                        properties:
                          object: {const: list}
                          items: {type: array, items: {$ref: "#/components/schemas/EventDelivery"}}
                          next_page: {$ref: "#/components/schemas/NextPage"}
                default: {$ref: "#/components/responses/error"}
          /v1/consumption:
            get:
              operationId: listAllConsumptionRequests
              tags: [support]
              summary: The App Store's questions before refunds, of all customers of an app and environment
              description: >-
                Needs the scope support:read. The newest first; with state=pending those that wait for an answer, by
                deadline, up to limit of them.
              parameters:
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {name: state, in: query, schema: {type: string, enum: [pending]}}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: Some questions
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [object, items, next_page]
                        properties:
                          object: {const: list}
                          items: {type: array, items: {$ref: "#/components/schemas/ConsumptionRequest"}}
                          next_page: {$ref: "#/components/schemas/NextPage"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/usage:
            post:
              operationId: reportUsage
              tags: [customers]
              summary: How much of a purchase was used, for the App Store's questions before refunds
              description: >-
                Needs the scope customers:write. What is left out stays as it was reported before. Consent is for
                everything that the customer bought. With a public key customer_consented alone is taken: what was
                delivered and used decides about the customer's own refund.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/Usage"}
              responses:
                "204": {description: Noted}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/consumption:
            get:
              operationId: listConsumptionRequests
              tags: [customers]
              summary: The App Store's latest questions before refunds, and what became of them
              description: Needs the scope customers:read.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The hundred latest
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [object, items, next_page]
                        properties:
                          object: {const: list}
                          items: {type: array, items: {$ref: "#/components/schemas/ConsumptionRequest"}}
                          next_page: {$ref: "#/components/schemas/NextPage"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/consumption/preview:
            get:
              operationId: previewConsumption
              tags: [customers]
              summary: Exactly what would be sent about a transaction, and why
              description: Needs the scope customers:read.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {name: transaction_id, in: query, required: true, schema: {type: string, minLength: 1}}
              responses:
                "200":
                  description: The preview
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/ConsumptionPreview"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/offers/promotional:
            post:
              operationId: signPromotionalOffer
              tags: [offers]
              summary: Signs a promotional offer
              description: >-
                Needs the scope offers:sign. Refused for customers who never had a subscription, unless forced. With a
                public key: only offers among the app's public_offers, tied to a transaction of the customer's or, in
                the original format, to the customer's identifier as account token.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/PromotionalOffer"}
              responses:
                "200":
                  description: What the app hands to StoreKit
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/OfferSignature"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/offers/introductory:
            post:
              operationId: signIntroductoryOffer
              tags: [offers]
              summary: Signs whether a customer gets the introductory offer of a product
              description: >-
                Needs the scope offers:sign. The signature takes the place of the App Store's own judgement, so it is
                refused (not_eligible) where the Apple account, under whatever customer, has a subscription of the
                product's group or had an introductory offer in it, unless forced; unknown_group says that the server
                has to be told the group. With a public key the Apple account must be proven: by app_transaction, or
                because the customer has linked exactly one; the App Store is asked what it has bought.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/IntroductoryOffer"}
              responses:
                "200":
                  description: What the app hands to StoreKit
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/OfferSignature"}
                default: {$ref: "#/components/responses/error"}
          /verifyReceipt:
            get:
              operationId: verifyNoReceipt
              tags: [app store]
              summary: Answers the status 21000, as the App Store did to all but POST
              security: []
              responses:
                "200":
                  description: The status
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [status]
                        properties:
                          status: {const: 21000}
                default: {$ref: "#/components/responses/error"}
            post:
              operationId: verifyReceipt
              tags: [app store]
              summary: The retired endpoint, for clients that cannot be changed; the shared secret is their key
              description: Without shared_secrets in the configuration everybody gets the status 21004.
              security: []
              parameters:
                - name: environment
                  in: query
                  schema: {type: string, enum: [Production, Sandbox]}
                  description: Which of the App Store's two endpoints this one stands for
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [receipt-data, password]
                      properties:
                        receipt-data: {type: string, description: Base64}
                        password: {type: string}
                        exclude-old-transactions: {type: boolean}
              responses:
                "200":
                  description: As the App Store answered; status says how it went
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [status]
                        properties:
                          status: {type: integer}
                          environment: {$ref: "#/components/schemas/Environment"}
                          receipt: {type: object}
                          latest_receipt: {type: string}
                          latest_receipt_info: {type: array, items: {type: object}}
                          pending_renewal_info: {type: array, items: {type: object}}
                default: {$ref: "#/components/responses/error"}
          /v1/transactions/{id}:
            get:
              operationId: getTransaction
              tags: [support]
              summary: Whose a transaction is
              description: Needs the scope support:read.
              parameters:
                - name: id
                  in: path
                  required: true
                  schema: {type: string, minLength: 1, maxLength: 64}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The transaction
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Transaction"}
                default: {$ref: "#/components/responses/error"}
          /v1/orders/{id}:
            get:
              operationId: getOrder
              tags: [support]
              summary: Whose an order is; asks the App Store, which knows orders in production only
              description: Needs the scope support:read.
              parameters:
                - name: id
                  in: path
                  required: true
                  schema: {type: string, minLength: 1, maxLength: 64}
                  description: The number on the receipt that customers get by mail
                - {$ref: "#/components/parameters/app"}
              responses:
                "200":
                  description: The order
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Order"}
                default: {$ref: "#/components/responses/error"}
          /v1/notifications:
            get:
              operationId: listNotifications
              tags: [notifications]
              summary: What was received, the last first
              description: >-
                Needs the scope operations:read. Only so many are looked through at a time; go on until next_page is
                null.
              parameters:
                - name: type
                  in: query
                  schema: {type: string, minLength: 1, maxLength: 255}
                  description: A notificationType
                - name: subtype
                  in: query
                  schema: {type: string, minLength: 1, maxLength: 255}
                - {name: state, in: query, schema: {$ref: "#/components/schemas/NotificationState"}}
                - name: from
                  in: query
                  schema: {$ref: "#/components/schemas/SentInstant"}
                  description: Received then or later
                - {name: to, in: query, schema: {$ref: "#/components/schemas/SentInstant"}, description: Received before}
                - name: original_transaction_id
                  in: query
                  schema: {type: string, minLength: 1, maxLength: 255}
                  description: Those about one subscription or purchase
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of notifications
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/NotificationList"}
                default: {$ref: "#/components/responses/error"}
          /v1/notifications/{id}:
            parameters:
              - name: id
                in: path
                required: true
                schema: {type: string, minLength: 1}
                description: The notificationUUID
            get:
              operationId: getNotification
              tags: [notifications]
              summary: All that a notification says, verified again
              description: Needs the scope operations:read.
              parameters:
                - {$ref: "#/components/parameters/include"}
              responses:
                "200":
                  description: The notification
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/DecodedNotification"}
                default: {$ref: "#/components/responses/error"}
          /v1/notifications/reprocess:
            post:
              operationId: reprocessFailedNotifications
              tags: [notifications]
              summary: Read all notifications again that failed with a code; what they led to is not told again
              description: Needs the scope operations:write. At most 10,000 at once.
              parameters:
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [code]
                      properties:
                        code: {type: string, description: The failure of a notification}
                        dry_run: {type: boolean, description: Only count them}
              responses:
                "200":
                  description: How many there are, or wait to be read now
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Reprocessing"}
                default: {$ref: "#/components/responses/error"}
          /v1/notifications/{id}/reprocess:
            parameters:
              - name: id
                in: path
                required: true
                schema: {type: string, minLength: 1}
                description: The notificationUUID
            post:
              operationId: reprocessNotification
              tags: [notifications]
              summary: Read a notification again; what it led to is not told again
              description: Needs the scope operations:write.
              responses:
                "202":
                  description: It waits to be read
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Notification"}
                default: {$ref: "#/components/responses/error"}
          /v1/refused:
            get:
              operationId: listRefused
              tags: [notifications]
              summary: What was refused, the last first, as far as there was room for it
              description: Needs the scope operations:read, and a key for all apps and environments.
              parameters:
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of refusals
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/RefusalList"}
                default: {$ref: "#/components/responses/error"}
          /v1/completeness:
            get:
              operationId: getCompleteness
              tags: [recovery]
              summary: Up to when nothing is missing, how that is known, and what is missing
              description: >-
                Needs the scope operations:read. One item for each app and environment of the key. complete_until lies
                before the first notification that was read and cannot be believed, read_until is how far the history
                was read. Of unverified_spans, unverified_items and histories there are 20 at most.
              responses:
                "200":
                  description: All of them
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/CompletenessList"}
                default: {$ref: "#/components/responses/error"}
          /v1/recoveries:
            get:
              operationId: listRecoveries
              tags: [recovery]
              summary: Readings of the notification history, the last first
              description: Needs the scope operations:read. The last thousand are remembered.
              parameters:
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of recoveries
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/RecoveryList"}
                default: {$ref: "#/components/responses/error"}
            post:
              operationId: startRecovery
              tags: [recovery]
              summary: Read a part of the notification history again
              description: >-
                Needs the scope operations:write. What is new goes the way of every notification; what is known stays.
              parameters:
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [from]
                      additionalProperties: false
                      properties:
                        from: {$ref: "#/components/schemas/SentInstant"}
                        to:
                          $ref: "#/components/schemas/Instant"
                          description: The end; the server's now if it is left out
                        types:
                          type: array
                          maxItems: 100
                          items: {type: string}
                          description: Only these kinds, such as EXPIRED (with every subtype) or EXPIRED.VOLUNTARY
              responses:
                "202":
                  description: It waits or is under way
                  headers:
                    Location: {schema: {type: string}}
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Recovery"}
                default: {$ref: "#/components/responses/error"}
          /v1/recoveries/{id}:
            parameters:
              - {name: id, in: path, required: true, schema: {type: string, minLength: 1}}
            get:
              operationId: getRecovery
              tags: [recovery]
              summary: How far a recovery has come
              description: Needs the scope operations:read.
              responses:
                "200":
                  description: The recovery
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Recovery"}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks:
            get:
              operationId: listWebhooks
              tags: [webhooks]
              summary: All endpoints that the key may manage
              description: Needs the scope webhooks:write.
              responses:
                "200":
                  description: All of them
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/WebhookList"}
                default: {$ref: "#/components/responses/error"}
            post:
              operationId: createWebhook
              tags: [webhooks]
              summary: Make an endpoint; its secret is in this answer and in no other
              description: Needs the scope webhooks:write. A key for some apps or environments makes endpoints for those.
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/NewWebhook"}
              responses:
                "201":
                  description: The endpoint
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Webhook"}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}:
            parameters:
              - name: name
                in: path
                required: true
                schema: {type: string, minLength: 1, maxLength: 100}
            get:
              operationId: getWebhook
              tags: [webhooks]
              summary: One endpoint
              description: Needs the scope webhooks:write, and a key for all that is sent there.
              responses:
                "200":
                  description: The endpoint
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Webhook"}
                default: {$ref: "#/components/responses/error"}
            patch:
              operationId: changeWebhook
              tags: [webhooks]
              summary: Change an endpoint, switch it on or off, change its secrets
              description: >-
                Needs the scope webhooks:write, and a key for all that is sent there. What is left out stays. Those of
                the configuration file are changed there, but can be switched on and off here.
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/WebhookChange"}
              responses:
                "200":
                  description: The endpoint, with its new secret if there is one
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Webhook"}
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
            parameters:
              - name: name
                in: path
                required: true
                schema: {type: string, minLength: 1, maxLength: 100}
            get:
              operationId: listDeliveries
              tags: [webhooks]
              summary: What was and is to be sent there, the last first
              description: Needs the scope webhooks:write, and a key for all that is sent there.
              parameters:
                - {name: state, in: query, schema: {$ref: "#/components/schemas/DeliveryState"}}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of deliveries
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/WebhookDeliveryList"}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}/deliveries/{id}:
            parameters:
              - name: name
                in: path
                required: true
                schema: {type: string, minLength: 1, maxLength: 100}
              - name: id
                in: path
                required: true
                schema: {type: string, pattern: "^[0-9]{1,19}$"}
            get:
              operationId: getDelivery
              tags: [webhooks]
              summary: One delivery with its attempts, and the exact text that is sent
              description: >-
                Needs the scope webhooks:write, and a key for all that is sent there. Attempts are kept as long as the
                delivery: thirty days after its end.
              responses:
                "200":
                  description: The delivery
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/WebhookDeliveryDetail"}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}/replay:
            parameters:
              - name: name
                in: path
                required: true
                schema: {type: string, minLength: 1, maxLength: 100}
            post:
              operationId: replayEvents
              tags: [webhooks]
              summary: Send one event again, or all of a time
              description: >-
                Needs the scope webhooks:write, and a key for all that is sent there. Say event_id, or from and to.
                What is newer about the purchases follows again where it is not sent anyway, and is not counted. One
                request looks at some 200,000 events and makes about 10,000 deliveries at most; ask again with the
                after of the answer until is_complete.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      properties:
                        event_id: {type: string}
                        from: {$ref: "#/components/schemas/SentInstant"}
                        to: {$ref: "#/components/schemas/SentInstant"}
                        after: {type: integer, format: int64}
                        dry_run: {type: boolean, description: "Count only: nothing is sent"}
              responses:
                "200":
                  description: What would be made, for a dry run
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/WebhookReplay"}
                "202":
                  description: What was made
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/WebhookReplay"}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}/test:
            parameters:
              - name: name
                in: path
                required: true
                schema: {type: string, minLength: 1, maxLength: 100}
            post:
              operationId: testWebhook
              tags: [webhooks]
              summary: Send an event that says nothing, webhook.test
              description: Needs the scope webhooks:write, and a key for all that is sent there.
              responses:
                "202":
                  description: The delivery
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/WebhookDelivery"}
                default: {$ref: "#/components/responses/error"}
          /apple/notifications:
            post:
              operationId: receiveNotification
              tags: [app store]
              summary: Where the App Store sends its notifications, version 2, and version 1 of apps that were not switched over
              description: >-
                Those of version 1 are taken only with an app's shared secret as password; without shared_secrets in
                the configuration they are refused.
              security: []
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/SignedPayload"}
              responses:
                "200": {description: It is on disk}
                default: {$ref: "#/components/responses/error"}
          /apple/retention:
            post:
              operationId: answerRetention
              tags: [app store]
              summary: Where the App Store asks what to show somebody who is about to cancel
              security: []
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/SignedPayload"}
              responses:
                "200":
                  description: Nothing of ours; the default message is shown
                  content:
                    application/json:
                      schema: {type: object}
                default: {$ref: "#/components/responses/error"}
          /health/live:
            get:
              operationId: isLive
              tags: [operation]
              summary: Whether the process answers
              security: []
              responses:
                "200":
                  description: It does
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [object, status]
                        properties:
                          object: {const: health}
                          status: {const: live}
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
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Readiness"}
                "503":
                  description: They should not; the parts say why
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Readiness"}
                default: {$ref: "#/components/responses/error"}
          /metrics:
            get:
              operationId: getMetrics
              tags: [operation]
              summary: What the server counts and measures, as Prometheus reads it
              description: >-
                Needs the scope operations:read, or to be asked from the server's own machine where listen.metrics is
                local.
              security:
                - {}
                - {key: []}
              responses:
                "200":
                  description: The text format of Prometheus
                  content:
                    text/plain:
                      schema: {type: string}
                "404":
                  description: "metrics_not_exposed: another backend has them"
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Error"}
                default: {$ref: "#/components/responses/error"}
          /openapi.yaml:
            get:
              operationId: getDescription
              tags: [operation]
              summary: This description
              security: []
              responses:
                "200":
                  description: OpenAPI 3.1
                  content:
                    application/yaml:
                      schema: {type: object, required: [openapi, paths]}
                default: {$ref: "#/components/responses/error"}
        webhooks:
          event:
            post:
              operationId: receiveEvent
              tags: [webhooks]
              summary: What your endpoint is sent, signed by Standard Webhooks 1.0
              description: >-
                The signature is HMAC-SHA256 over webhook-id, webhook-timestamp and the body, joined by full stops;
                docs/webhooks.md says what is promised. An endpoint with payload compatible is sent another vocabulary.
              security: []
              parameters:
                - {name: webhook-id, in: header, required: true, schema: {type: string}}
                - name: webhook-timestamp
                  in: header
                  required: true
                  schema: {type: integer}
                  description: Seconds since 1970
                - {name: webhook-signature, in: header, required: true, schema: {type: string}}
              requestBody:
                required: true
                content:
                  application/json:
                    schema: {$ref: "#/components/schemas/Event"}
              responses:
                2XX: {description: It has arrived; the body is ignored}
                "410": {description: Switches the endpoint off}
                default: {description: It is sent again later}
        components:
          securitySchemes:
            key:
              type: http
              scheme: bearer
              description: A key of the configuration; counterfoil server keys create makes one
            customerToken:
              type: apiKey
              in: header
              name: Counterfoil-Customer-Token
              description: >-
                For keys that are shipped in an app: a JWT of the app's backend, HS256 with customer_token_secret; sub
                is the customer, exp at most a day after iat; app_account_token, a UUID, is the account that the
                customer's purchases name, if it is not sub
          parameters:
            customer:
              name: id
              in: path
              required: true
              schema: {type: string, minLength: 1, maxLength: 255}
              description: >-
                The app's name for the customer, in Unicode Normalization Form C; the appAccountToken of purchases is
                one
            app:
              name: app
              in: query
              schema: {type: string}
              description: The bundle ID; may be left out where there is one app
            environment:
              name: environment
              in: query
              schema: {$ref: "#/components/schemas/Environment"}
              description: Production unless the app has none; in either case
            at:
              name: at
              in: query
              schema: {$ref: "#/components/schemas/SentInstant"}
              description: As it was at an instant
            page: {name: page, in: query, schema: {type: string}, description: What next_page said}
            limit:
              name: limit
              in: query
              schema: {type: integer, minimum: 1, maximum: 100, default: 50}
            include:
              name: include
              in: query
              schema: {type: string, enum: [signed_data]}
              description: The exact texts that were signed
            nonce:
              name: Counterfoil-Nonce
              in: header
              schema: {type: string, pattern: "^[A-Za-z0-9_-]{16,64}$"}
              description: Asks for a signed answer, if the app has an answer_key
          headers:
            requestId:
              schema: {type: string}
              description: The number of the request, by which the server's log calls it
            allow:
              schema: {type: string}
              description: "With 405: the methods that the path takes"
            signature:
              schema: {type: string}
              description: >-
                With a nonce and an answer_key: the time in milliseconds, a full stop, and an Ed25519 signature in base64url
                over counterfoil-answer-1, the customer, the nonce and the time, each followed by a line feed, and the body
          responses:
            error:
              description: Refused, or not possible at the moment
              headers:
                x-request-id: {$ref: "#/components/headers/requestId"}
                Allow: {$ref: "#/components/headers/allow"}
              content:
                application/json:
                  schema: {$ref: "#/components/schemas/Error"}
          schemas:
            Instant:
              type: integer
              format: int64
              minimum: -8640000000000000
              maximum: 8640000000000000
              description: Milliseconds since 1970
            SentInstant:
              oneOf:
                - {$ref: "#/components/schemas/Instant"}
                - {type: string, format: date-time, description: ISO 8601 with a zone}
            Environment: {type: string, enum: [Production, Sandbox]}
            ProductType:
              type: string
              description: Apple's word
              examples: [Auto-Renewable Subscription, Non-Consumable, Consumable, Non-Renewing Subscription]
            Ownership: {type: string, description: Apple's word, examples: [PURCHASED, FAMILY_SHARED, ASSIGNED]}
            OfferDiscountType:
              type: string
              description: Apple's word
              examples: [FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT, ONE_TIME]
            RevocationType:
              type: string
              description: Apple's word
              examples: [REFUND_FULL, REFUND_PRORATED, FAMILY_REVOKE, ASSIGNMENT_REVOKE]
            SubscriptionStatus:
              type: integer
              description: As in the App Store Server API; status_name has the word for it
              examples: [1, 2, 3, 4, 5]
            SubscriptionStatusName:
              type: string
              enum: [active, expired, billing_retry, grace_period, revoked]
              description: The word for status; left out for a number that this version does not know
            AccessState: {type: string, enum: [new, active, inactive]}
            NextStep:
              type: string
              enum: [none, subscribe, fix_payment, ask_price_consent, save_offer, win_back_offer, promotional_offer]
              description: What Apple's guidance recommends
            Detail:
              type: string
              enum:
                - in_grace_period
                - in_trial
                - in_offer
                - will_not_renew
                - will_change_product
                - price_consent_pending
                - family_shared
                - assigned
                - granted
                - bought_before
                - original_purchase_unknown
                - expired
                - cancelled
                - billing_error
                - price_increase_not_accepted
                - product_not_available
                - billing_retry
                - refunded
                - revoked
                - upgraded
                - changed_product
                - duration_over
            Rule:
              type: string
              enum:
                - subscription_active
                - grace_period
                - non_consumable_owned
                - duration_running
                - billing_retry
                - expired
                - revoked
                - refunded
                - upgraded_away
                - changed_product
                - duration_over
                - bought_before
                - granted
                - transferred
                - never_bought
                - unknown_entitlement
            FactRole:
              type: string
              enum:
                - decides
                - older_version
                - signed_later
                - not_yet
                - earlier_period
                - later_period
                - upgraded
                - other_product
                - taken_back
                - over
                - goes_behind
                - other_subscription
                - never_entitles
            Error:
              type: object
              required: [object, code, message, retryable, request_id]
              properties:
                object: {const: error}
                code: {type: string, description: A word for programs}
                message: {type: string, description: A sentence for people}
                retryable: {type: boolean, description: Whether the same request may succeed later}
                backoff_ms: {type: integer, description: How long to wait before}
                param: {type: string, description: The parameter that is wrong}
                request_id: {type: string, description: "The same as x-request-id, where the answer was not remembered"}
            NextPage: {type: [string, "null"], description: What page takes; null when this is the last}
            Customer:
              type: object
              required:
                [object, id, app, environment, as_of, entitlements, subscriptions, groups, products, purchases,
                 consumables]
              properties:
                object: {const: customer}
                id: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                as_of: {$ref: "#/components/schemas/Instant"}
                entitlements: {type: array, items: {$ref: "#/components/schemas/Entitlement"}}
                subscriptions: {type: array, items: {$ref: "#/components/schemas/Subscription"}}
                groups: {type: array, items: {$ref: "#/components/schemas/SubscriptionGroup"}}
                products: {type: array, items: {$ref: "#/components/schemas/Product"}}
                purchases: {type: array, items: {$ref: "#/components/schemas/Purchase"}}
                consumables: {type: array, items: {$ref: "#/components/schemas/ConsumableBalance"}}
                original_purchase: {$ref: "#/components/schemas/OriginalPurchase"}
                unverified:
                  type: array
                  items: {$ref: "#/components/schemas/UnverifiedText"}
                  description: "Of an instant in the past: texts that do not count because they do not verify now"
                product_entitlements:
                  type: array
                  items: {$ref: "#/components/schemas/ProductEntitlements"}
                  description: "With a public key only: what the products of the catalogue give"
                app_account_token:
                  type: string
                  format: uuid
                  description: "With a public key whose customer token names one: the account to buy for"
            ProductEntitlements:
              type: object
              required: [product_id, entitlements]
              properties:
                product_id: {type: string}
                entitlements: {type: array, items: {type: string}}
                duration_ms:
                  type: integer
                  description: How long a non-renewing subscription lasts at least
            AnswerKeyList:
              type: object
              required: [object, items]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/AnswerKey"}}
            AnswerKey:
              type: object
              required: [object, app, algorithm, public_key]
              properties:
                object: {const: answer_key}
                app: {type: string, description: The bundle identifier}
                algorithm: {const: Ed25519}
                public_key: {type: string, description: 32 bytes in base64}
            Merge:
              type: object
              required: [from]
              additionalProperties: false
              properties:
                from: {type: string, description: The customer who has it so far}
                from_token: {type: string, description: The customer token of that one; needed with a public key}
            SessionRequest:
              type: object
              required: [app_transaction]
              additionalProperties: false
              properties:
                customer: {type: string, description: How the device calls its customer so far}
                app_transaction: {type: string, description: "AppTransaction.shared, as JWS"}
            Session:
              type: object
              required: [object, customer, token, expires_at]
              properties:
                object: {const: session}
                customer: {type: string, description: How the server calls the customer}
                token: {type: string, description: What to send as Counterfoil-Customer-Token}
                expires_at: {$ref: "#/components/schemas/Instant"}
            CustomerEntitlement:
              allOf:
                - {$ref: "#/components/schemas/Entitlement"}
              type: object
              required: [object, key, customer, app, environment, as_of]
              properties:
                customer: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                as_of: {$ref: "#/components/schemas/Instant"}
            OwnedSubscription:
              allOf:
                - {$ref: "#/components/schemas/Subscription"}
              type: object
              required: [object, app, environment, as_of]
              properties:
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                as_of: {$ref: "#/components/schemas/Instant"}
                customers: {type: array, items: {type: string}, description: Not for keys that are limited to one customer}
            RefreshedCustomer:
              allOf:
                - {$ref: "#/components/schemas/Customer"}
              type: object
              required: [object, refreshed]
              properties:
                refreshed: {type: integer}
            TransactionList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/Transaction"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            NewExtension:
              type: object
              required: [days, reason]
              additionalProperties: false
              properties:
                days: {type: integer, minimum: 1, maximum: 90}
                reason: {type: string, enum: [undeclared, customer_satisfaction, other, service_issue]}
                request_identifier:
                  type: string
                  minLength: 1
                  maxLength: 128
                  description: By which the App Store knows a request again
            RenewalExtension:
              type: object
              required: [object, original_transaction_id, app, environment, success]
              properties:
                object: {const: renewal_extension}
                original_transaction_id: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                success: {type: boolean}
                effective_date: {$ref: "#/components/schemas/Instant"}
            NewMassExtension:
              type: object
              required: [product_id, days, reason]
              additionalProperties: false
              properties:
                product_id: {type: string}
                days: {type: integer, minimum: 1, maximum: 90}
                reason: {type: string, enum: [undeclared, customer_satisfaction, other, service_issue]}
                storefronts: {type: array, minItems: 1, items: {type: string}, description: ISO 3166-1 alpha-3}
                request_identifier: {type: string, format: uuid}
            MassExtension:
              type: object
              required: [object, request_identifier, product_id, app, environment, is_complete]
              properties:
                object: {const: mass_extension}
                request_identifier: {type: string}
                product_id: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                is_complete: {type: boolean}
                complete_date: {$ref: "#/components/schemas/Instant"}
                succeeded_count: {type: integer, format: int64}
                failed_count: {type: integer, format: int64}
            UnclaimedPurchase:
              type: object
              required: [object, original_transaction_id, app, environment, has_access]
              properties:
                object: {const: unclaimed_purchase}
                original_transaction_id: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                app_transaction_id: {type: string}
                product_id: {type: string}
                type: {$ref: "#/components/schemas/ProductType"}
                first_purchase_date: {$ref: "#/components/schemas/Instant"}
                last_purchase_date: {$ref: "#/components/schemas/Instant"}
                has_access: {type: boolean}
            UnclaimedPurchaseList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/UnclaimedPurchase"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            SegmentName:
              type: string
              enum:
                - will_not_renew
                - in_grace_period
                - in_billing_retry
                - win_back_eligible
                - price_consent_pending
                - trial_ending
                - refunded
            Segment:
              type: object
              required: [object, name, app, environment, as_of, count, has_more]
              properties:
                object: {const: segment}
                name: {$ref: "#/components/schemas/SegmentName"}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                as_of: {$ref: "#/components/schemas/Instant"}
                count: {type: integer, description: At most 10000}
                has_more: {type: boolean, description: Whether there may be more than were counted}
            SegmentList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/Segment"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            SegmentMember:
              type: object
              required: [object, original_transaction_id, app, environment, customers]
              properties:
                object: {const: segment_member}
                original_transaction_id: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                transaction_id: {type: string}
                product_id: {type: string}
                subscription_group_identifier: {type: string}
                since: {$ref: "#/components/schemas/Instant"}
                until: {$ref: "#/components/schemas/Instant"}
                days_left: {type: integer, format: int64, description: How many whole days until then}
                reason: {type: string, description: Why in the words of details}
                will_renew: {type: boolean}
                eligible_win_back_offer_ids: {type: array, items: {type: string}}
                next_step: {$ref: "#/components/schemas/NextStep"}
                customers:
                  type: [array, "null"]
                  items: {type: string}
                  description: Whose it is; null if it is no customer's
            SegmentMemberList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/SegmentMember"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            EventList:
              type: object
              required: [object, items, next_page, has_more]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/Event"}}
                next_page: {type: string, description: What page takes the next time}
                has_more: {type: boolean, description: Whether there is more at once}
            Erasure:
              type: object
              required: [object, app, environment, erased_at, claims, grants, usage, purchases_kept]
              properties:
                object: {const: erasure}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                erased_at: {$ref: "#/components/schemas/Instant"}
                claims: {type: integer, description: Claims that have no name any more}
                grants: {type: integer, description: Grants that are gone}
                usage: {type: integer, description: Reports of use that are gone}
                purchases_kept: {type: integer, description: Purchases that are kept and nobody's}
            NewGrant:
              type: object
              required: [entitlement, reason, actor]
              additionalProperties: false
              properties:
                entitlement: {type: string, description: One of the configuration's}
                until: {$ref: "#/components/schemas/SentInstant"}
                reason: {type: string, minLength: 1, maxLength: 500, description: Why; for people}
                actor: {type: string, minLength: 1, maxLength: 100, description: Who of the team does it}
            GrantRevocation:
              type: object
              required: [reason, actor]
              additionalProperties: false
              properties:
                reason: {type: string, minLength: 1, maxLength: 500}
                actor: {type: string, minLength: 1, maxLength: 100}
            Grant:
              type: object
              required: [object, id, customer, app, environment, entitlement, state, created_at]
              properties:
                object: {const: grant}
                id: {type: string}
                customer: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                entitlement: {type: string}
                state: {type: string, enum: [running, expired, revoked]}
                created_at: {$ref: "#/components/schemas/Instant"}
                until: {$ref: "#/components/schemas/Instant"}
                revoked_at: {$ref: "#/components/schemas/Instant"}
                reason: {type: string}
                actor: {type: string}
                revocation_reason: {type: string}
                revoked_by: {type: string}
            GrantList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/Grant"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            OriginalPurchase:
              type: object
              description: >-
                When the customer first got the app, by an app transaction or a receipt that the app has reported; of several
                Apple accounts the first one
              required: [object]
              properties:
                object: {const: original_purchase}
                application_version: {type: string, description: The build number on iOS; the short version on the Mac}
                purchase_date: {$ref: "#/components/schemas/Instant"}
                app_transaction_id: {type: string}
                is_test_data: {type: boolean, description: The sandbox says the same of everybody}
            ExplainedOriginalPurchase:
              type: object
              description: What came of bought_before in the configuration, and what proves it
              required: [object, finding]
              properties:
                object: {const: explained_original_purchase}
                finding:
                  type: string
                  enum: [before, not_before, version_unknown, date_unknown, test_data, nothing_known]
                application_version: {type: string}
                purchase_date: {$ref: "#/components/schemas/Instant"}
                app_transaction_id: {type: string}
                is_test_data: {type: boolean}
                kind: {type: string, enum: [app_transaction, receipt]}
                signed_date: {$ref: "#/components/schemas/Instant"}
                origin: {$ref: "#/components/schemas/Origin"}
                received_at: {$ref: "#/components/schemas/Instant"}
                verification: {$ref: "#/components/schemas/Verification"}
                verification_failure: {type: string, description: Why it does not verify now}
                signed_data: {type: string, description: The exact text that was signed}
            UnverifiedText:
              type: object
              required: [object, original_transaction_id, code, message]
              properties:
                object: {const: unverified_text}
                notification_uuid: {type: string}
                original_transaction_id: {type: string}
                code: {type: string, description: The reason as of a refusal}
                message: {type: string}
            Details:
              type: array
              items: {$ref: "#/components/schemas/Detail"}
              description: What else is to be known of a state
            Entitlement:
              type: object
              required: [object, key, is_active, state, details]
              properties:
                object: {const: entitlement}
                key: {type: string}
                is_active: {type: boolean}
                state: {$ref: "#/components/schemas/AccessState"}
                details: {$ref: "#/components/schemas/Details"}
                until: {$ref: "#/components/schemas/Instant"}
                will_renew: {type: boolean}
                product_id: {type: string}
                transaction_id: {type: string}
                original_transaction_id: {type: string}
            Subscription:
              type: object
              required:
                [object, original_transaction_id, transaction_id, product_id, status, has_access, purchase_date,
                 is_in_billing_retry, ownership, details, next_step]
              properties:
                object: {const: subscription}
                original_transaction_id: {type: string}
                transaction_id: {type: string}
                product_id: {type: string}
                subscription_group_identifier: {type: string}
                status: {$ref: "#/components/schemas/SubscriptionStatus"}
                status_name: {$ref: "#/components/schemas/SubscriptionStatusName"}
                has_access: {type: boolean}
                access_until: {$ref: "#/components/schemas/Instant"}
                purchase_date: {$ref: "#/components/schemas/Instant"}
                expires_date: {$ref: "#/components/schemas/Instant"}
                will_renew: {type: boolean}
                auto_renew_product_id: {type: string}
                expiration_intent: {type: integer}
                is_in_billing_retry: {type: boolean}
                grace_period_expires_date: {$ref: "#/components/schemas/Instant"}
                ownership: {$ref: "#/components/schemas/Ownership"}
                offer_type: {type: integer}
                offer_identifier: {type: string}
                offer_discount_type: {$ref: "#/components/schemas/OfferDiscountType"}
                price_increase_status: {type: integer}
                revocation_date: {$ref: "#/components/schemas/Instant"}
                revocation_reason: {type: integer}
                revocation_type: {$ref: "#/components/schemas/RevocationType"}
                eligible_win_back_offer_ids: {type: array, items: {type: string}}
                details: {$ref: "#/components/schemas/Details"}
                next_step: {$ref: "#/components/schemas/NextStep"}
            SubscriptionGroup:
              type: object
              required:
                [object, subscription_group_identifier, state, details, is_eligible_for_introductory_offer, next_step]
              properties:
                object: {const: subscription_group}
                subscription_group_identifier: {type: string}
                state: {$ref: "#/components/schemas/AccessState"}
                details: {$ref: "#/components/schemas/Details"}
                until: {$ref: "#/components/schemas/Instant"}
                product_id: {type: string}
                original_transaction_id: {type: string}
                is_eligible_for_introductory_offer: {type: boolean}
                next_step: {$ref: "#/components/schemas/NextStep"}
            Product:
              type: object
              required: [object, product_id, state, details]
              properties:
                object: {const: product}
                product_id: {type: string}
                type: {$ref: "#/components/schemas/ProductType"}
                state: {$ref: "#/components/schemas/AccessState"}
                details: {$ref: "#/components/schemas/Details"}
                until: {$ref: "#/components/schemas/Instant"}
                ended_at: {$ref: "#/components/schemas/Instant"}
                will_renew: {type: boolean}
                transaction_id: {type: string}
                original_transaction_id: {type: string}
            Purchase:
              type: object
              required:
                [object, transaction_id, original_transaction_id, product_id, type, quantity, purchase_date,
                 ownership, has_access, details]
              properties:
                object: {const: purchase}
                transaction_id: {type: string}
                original_transaction_id: {type: string}
                product_id: {type: string}
                type: {$ref: "#/components/schemas/ProductType"}
                quantity: {type: integer}
                purchase_date: {$ref: "#/components/schemas/Instant"}
                ownership: {$ref: "#/components/schemas/Ownership"}
                has_access: {type: boolean}
                ends_at: {$ref: "#/components/schemas/Instant"}
                offer_type: {type: integer}
                offer_identifier: {type: string}
                revocation_date: {$ref: "#/components/schemas/Instant"}
                revocation_reason: {type: integer}
                revocation_type: {$ref: "#/components/schemas/RevocationType"}
                details: {$ref: "#/components/schemas/Details"}
            ConsumableBalance:
              type: object
              required: [object, product_id, purchases, quantity, revoked_quantity]
              properties:
                object: {const: consumable_balance}
                product_id: {type: string}
                purchases: {type: integer}
                quantity: {type: integer}
                revoked_quantity: {type: integer}
            TimelineEntryList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/TimelineEntry"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            TimelineEntry:
              type: object
              required: [object, occurred_at, kind, sentence, type]
              properties:
                object: {const: timeline_entry}
                occurred_at: {$ref: "#/components/schemas/Instant"}
                kind: {enum: [notification, event], description: "What the App Store told, or what happened here"}
                sentence: {type: string, description: For people}
                type: {type: string, description: "notificationType, or the name of our event"}
                subtype: {type: string}
                uuid: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                signed_date: {$ref: "#/components/schemas/Instant"}
                received_at: {$ref: "#/components/schemas/Instant"}
                origin: {$ref: "#/components/schemas/Origin"}
                is_retry:
                  type: boolean
                  description: It came half an hour or more after it was signed; attempts before have failed
                state: {$ref: "#/components/schemas/NotificationState"}
                failure: {type: string}
                original_transaction_id: {type: string}
                transaction_id: {type: string}
                product_id: {type: string}
                status: {$ref: "#/components/schemas/SubscriptionStatus"}
                status_name: {$ref: "#/components/schemas/SubscriptionStatusName"}
                price_milliunits: {type: integer, format: int64, description: In thousandths of the currency}
                currency: {type: string}
                original_purchase: {$ref: "#/components/schemas/OriginalPurchase"}
                grant: {type: string, description: The grant that it is about}
                entitlement: {type: string}
                reason: {type: string, description: Not for keys that are limited to one customer}
                actor: {type: string, description: Not for keys that are limited to one customer}
                verification_failure:
                  type: string
                  description: Why the notification does not verify now; what it says is not shown then
                from:
                  type: array
                  items: {type: string}
                  description: Who had the purchase before; not for keys that are limited to one customer
                to:
                  type: array
                  items: {type: string}
                  description: Who has the purchase since; not for keys that are limited to one customer
            OwnershipChange:
              type: object
              required: [object, occurred_at, type, sentence, original_transaction_id]
              properties:
                object: {const: ownership_change}
                occurred_at: {$ref: "#/components/schemas/Instant"}
                type: {enum: [purchase.linked, purchase.transferred]}
                sentence: {type: string, description: For people}
                original_transaction_id: {type: string}
                from: {type: array, items: {type: string}}
                to: {type: array, items: {type: string}}
            Explanation:
              type: object
              required:
                [object, customer, entitlement, as_of, is_active, rule, sentence, changes, facts_omitted, facts]
              properties:
                object: {const: explanation}
                customer: {type: string}
                entitlement: {type: string}
                as_of: {$ref: "#/components/schemas/Instant"}
                is_active: {type: boolean}
                until: {$ref: "#/components/schemas/Instant"}
                rule: {$ref: "#/components/schemas/Rule"}
                sentence: {type: string, description: For people}
                product_id: {type: string}
                transaction_id: {type: string}
                changes:
                  type: array
                  items: {$ref: "#/components/schemas/OwnershipChange"}
                  description: When the purchases came to the customer and went from them, at most the last 100
                unverified:
                  type: array
                  items: {$ref: "#/components/schemas/UnverifiedText"}
                  description: Texts that do not count because they do not verify now
                grants:
                  type: array
                  items: {$ref: "#/components/schemas/Grant"}
                  description: What the team granted of the entitlement; at most the last 500
                original_purchase: {$ref: "#/components/schemas/ExplainedOriginalPurchase"}
                facts_omitted: {type: integer, description: How many facts there are beside those listed}
                facts: {type: array, items: {$ref: "#/components/schemas/ExplainedFact"}}
            ExplainedFact:
              type: object
              required: [object, kind, identifier, original_transaction_id, product_id, signed_date, role]
              properties:
                object: {const: explained_fact}
                kind: {type: string, enum: [transaction, renewal_info]}
                identifier: {type: string}
                original_transaction_id: {type: string}
                product_id: {type: string}
                signed_date: {$ref: "#/components/schemas/Instant"}
                role: {$ref: "#/components/schemas/FactRole"}
                origin: {$ref: "#/components/schemas/Origin"}
                received_at: {$ref: "#/components/schemas/Instant"}
                notification_uuid: {type: string}
                verification: {$ref: "#/components/schemas/Verification"}
                signed_data: {type: string, description: The exact text that was signed}
            Verification:
              type: object
              required: [object, anchor, validated_at, revocation, certificates]
              properties:
                object: {const: verification}
                anchor: {type: string}
                validated_at: {$ref: "#/components/schemas/Instant"}
                revocation: {enum: [not_checked, good, unknown]}
                revocation_note: {type: string, description: Why nobody was asked although the policy says so}
                certificates:
                  type: array
                  items:
                    type: object
                    required: [subject, issuer, serial_number, fingerprint, not_before, not_after]
                    properties:
                      subject: {type: string}
                      issuer: {type: string}
                      serial_number: {type: string}
                      fingerprint: {type: string, description: SHA-256 of the DER encoding}
                      not_before: {$ref: "#/components/schemas/Instant"}
                      not_after: {$ref: "#/components/schemas/Instant"}
            RefusedTransaction:
              type: object
              required: [code]
              properties:
                id:
                  type: string
                  description: The transaction; of what cannot be believed, what the text itself says
                code:
                  type: string
                  description: Why, as the code of an error, such as bad_signature or receipt_already_in_use
                param:
                  type: string
                  description: Where it was, such as signed_transactions[3]
            PurchaseReport:
              type: object
              description: >-
                One of signed_transactions, signed_renewals, app_transaction and receipt is there. An empty list of
                transactions says that nothing was bought.
              additionalProperties: false
              properties:
                signed_transactions: {type: array, maxItems: 500, items: {type: string}, description: JWS of StoreKit}
                signed_renewals:
                  type: array
                  maxItems: 500
                  items: {type: string}
                  description: The renewal infos that the device has, as JWS; they count where the subscription is known
                app_transaction:
                  type: string
                  description: The JWS of AppTransaction.shared; claims the Apple account
                receipt: {type: string, description: The app receipt in base64}
                restore:
                  type: boolean
                  description: >-
                    true: the customer asked to restore, so all that the Apple account has falls under the restore
                    policy, whomever it was bought for. Left out: only what is sent does, unless it was signed with
                    another customer's account token. false: nothing is taken from anybody
            History:
              type: object
              required: [state]
              properties:
                state: {type: string, enum: [pending, refused, not_configured]}
                code: {type: string, description: The App Store's error}
            Usage:
              type: object
              description: Something beside transaction_id and product_id is there.
              additionalProperties: false
              properties:
                transaction_id: {type: string, minLength: 1, maxLength: 255}
                product_id: {type: string, minLength: 1, maxLength: 255}
                customer_consented: {type: boolean}
                consumption_percentage:
                  type: integer
                  minimum: 0
                  maximum: 100000
                  description: In thousandths of a percent
                delivery_status:
                  type: string
                  enum:
                    - DELIVERED
                    - UNDELIVERED_QUALITY_ISSUE
                    - UNDELIVERED_WRONG_ITEM
                    - UNDELIVERED_SERVER_OUTAGE
                    - UNDELIVERED_OTHER
                sample_content_provided: {type: boolean}
            Reprocessing:
              type: object
              required: [object, code, notifications, has_more, dry_run]
              properties:
                object: {const: reprocessing}
                code: {type: string}
                notifications: {type: integer}
                has_more: {type: boolean, description: Whether there are more than these}
                dry_run: {type: boolean}
            Claim:
              type: object
              required: [object, original_transaction_id, owners, reason]
              properties:
                object: {const: claim}
                original_transaction_id: {type: string}
                product_id: {type: string}
                owners: {type: array, items: {type: string}, description: Customers}
                reason:
                  type: string
                  enum: [claimed, account_named, account_claimed]
                  description: >-
                    A restore or merge claimed it; the purchase names the account; other purchases of its Apple account
                    were claimed
                since: {$ref: "#/components/schemas/Instant"}
            ConsumptionRequest:
              type: object
              required: [object, transaction_id, original_transaction_id, state, requested_at, answer_due_at, attempts]
              properties:
                object: {const: consumption_request}
                customer: {type: string, description: Only in the list of all customers}
                transaction_id: {type: string}
                original_transaction_id: {type: string}
                state: {type: string, enum: [pending, sent, refused, missed, overtaken]}
                requested_at: {$ref: "#/components/schemas/Instant"}
                answer_due_at: {$ref: "#/components/schemas/Instant"}
                attempts: {type: integer}
                sent_at: {$ref: "#/components/schemas/Instant"}
                sent: {type: object, description: With Apple's names}
                answer: {type: string}
                decision: {type: string, enum: [refunded, declined]}
                decided_at: {$ref: "#/components/schemas/Instant"}
            ConsumptionPreview:
              type: object
              required: [object, transaction_id, would_send, reasons]
              properties:
                object: {const: consumption_preview}
                transaction_id: {type: string}
                would_send: {type: boolean}
                obstacle: {type: string, enum: [no_policy, no_consent, not_purchased]}
                request: {type: object}
                reasons:
                  type: array
                  items:
                    type: object
                    required: [member, source]
                    properties:
                      member: {type: string}
                      source: {type: string}
                      note: {type: string}
            PromotionalOffer:
              type: object
              additionalProperties: false
              required: [product_id, offer_id]
              properties:
                product_id: {type: string, minLength: 1, maxLength: 255}
                offer_id: {type: string, minLength: 1, maxLength: 255}
                format: {type: string, enum: [jws, original], default: jws}
                transaction_id:
                  type: string
                  minLength: 1
                  maxLength: 255
                  description: For jws; the customer's last one if left out
                app_account_token: {type: string, format: uuid, description: For original}
                nonce: {type: string, format: uuid, description: For original; a fresh one if left out}
                force: {type: boolean}
            IntroductoryOffer:
              type: object
              additionalProperties: false
              required: [product_id, allow]
              properties:
                product_id: {type: string, minLength: 1, maxLength: 255}
                allow: {type: boolean}
                transaction_id:
                  type: string
                  minLength: 1
                  maxLength: 255
                  description: Of a purchase or of the app; the customer's last one, or that of app_transaction, if left out
                app_transaction: {type: string, description: The JWS of AppTransaction.shared}
                force: {type: boolean}
            OfferSignature:
              type: object
              required: [object, kind, format, product_id]
              properties:
                object: {const: offer_signature}
                kind: {type: string, enum: [promotional, introductory]}
                format: {type: string, enum: [jws, original]}
                product_id: {type: string}
                offer_id: {type: string}
                allow: {type: boolean}
                transaction_id: {type: string}
                jws: {type: string}
                key_id: {type: string}
                nonce: {type: string}
                timestamp: {type: integer}
                app_account_token: {type: string}
                signature: {type: string}
            Transaction:
              type: object
              required:
                [object, transaction_id, original_transaction_id, app, environment, product_id, type, purchase_date,
                 signed_date, customers]
              properties:
                object: {const: transaction}
                transaction_id: {type: string}
                original_transaction_id: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                product_id: {type: string}
                type: {$ref: "#/components/schemas/ProductType"}
                purchase_date: {$ref: "#/components/schemas/Instant"}
                expires_date: {$ref: "#/components/schemas/Instant"}
                revocation_date: {$ref: "#/components/schemas/Instant"}
                signed_date: {$ref: "#/components/schemas/Instant"}
                customers: {type: array, items: {type: string}}
            Order:
              type: object
              required: [object, order_id, app, environment, customers, transactions]
              properties:
                object: {const: order}
                order_id: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                customers: {type: array, items: {type: string}}
                transactions: {type: array, items: {$ref: "#/components/schemas/Transaction"}}
            Origin: {type: string, enum: [delivered, recovered, asked, app, imported], description: How it came here}
            NotificationState: {type: string, enum: [pending, folded, failed]}
            NotificationList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/Notification"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            Notification:
              type: object
              required: [object, uuid, type, app, environment, signed_date, received_at, origin, state]
              properties:
                object: {const: notification}
                uuid: {type: string}
                type: {type: string, description: notificationType}
                subtype: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                signed_date: {$ref: "#/components/schemas/Instant"}
                received_at: {$ref: "#/components/schemas/Instant"}
                origin: {$ref: "#/components/schemas/Origin"}
                is_retry:
                  type: boolean
                  description: It came half an hour or more after it was signed; attempts before have failed
                state: {$ref: "#/components/schemas/NotificationState"}
                failure:
                  type: string
                  description: "Why it could not be processed: what is in it cannot be believed, or the ledger is damaged"
            DecodedNotification:
              allOf:
                - {$ref: "#/components/schemas/Notification"}
              type: object
              required: [object, uuid, decoded, verifications, problems]
              properties:
                verifications:
                  type: object
                  description: What the verification of each part rests on
                  properties:
                    notification: {$ref: "#/components/schemas/Verification"}
                    transaction: {$ref: "#/components/schemas/Verification"}
                    renewal_info: {$ref: "#/components/schemas/Verification"}
                decoded:
                  type: object
                  description: What was signed, in the App Store's own words
                  properties:
                    notification: {type: object}
                    transaction: {type: object}
                    renewal_info: {type: object}
                problems:
                  type: array
                  items:
                    type: object
                    required: [object, part, code, message]
                    properties:
                      object: {const: problem}
                      part: {type: string}
                      code: {type: string}
                      message: {type: string}
                signed_data: {type: string, description: The exact text that was received}
            RefusalList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/Refusal"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            Refusal:
              type: object
              required: [object, received_at, code, message, body]
              properties:
                object: {const: refusal}
                received_at: {$ref: "#/components/schemas/Instant"}
                code: {type: string}
                message: {type: string}
                sender: {type: string, description: An address}
                body: {type: string, description: Up to 64 KiB of what was sent}
            CompletenessList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/Completeness"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            Completeness:
              type: object
              required: [object, app, environment, state, missing]
              properties:
                object: {const: completeness}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                state: {type: string, enum: [complete, catching_up, behind, unknown]}
                reason: {type: string, description: "Why it is not complete, and what to do"}
                complete_since: {$ref: "#/components/schemas/Instant"}
                complete_until: {$ref: "#/components/schemas/Instant"}
                read_until: {$ref: "#/components/schemas/Instant"}
                known_by:
                  type: object
                  required: [by, checked_at]
                  properties:
                    by: {type: string, enum: [notification_history]}
                    checked_at: {$ref: "#/components/schemas/Instant"}
                age_ms: {type: integer, description: How long ago complete_until is}
                missing:
                  type: object
                  required:
                    [open_windows, unverified, unverified_spans, failed_notifications, backlog, histories_waiting,
                     histories_put_aside, histories_failed]
                  properties:
                    open_windows: {type: integer, description: Parts of the time that are still being read}
                    unverified:
                      type: integer
                      description: Items of the App Store's answers that cannot be believed, at most 10,000
                    unverified_spans: {type: integer, description: Times whose notifications cannot all be believed}
                    failed_notifications:
                      type: integer
                      description: Notifications that are kept and whose inside cannot be believed
                    backlog: {type: integer, description: Notifications that wait to be read}
                    histories_waiting:
                      type: integer
                      description: Transactions whose history is still to be asked for
                    histories_put_aside:
                      type: integer
                      description: Those among them that were asked for in vain, and will be again
                    histories_failed: {type: integer, description: Transactions that the App Store does not know}
                unverified_spans:
                  type: array
                  description: Times whose notifications cannot all be believed, the first ones first; they are read again
                  items:
                    type: object
                    required: [from, to]
                    properties:
                      from: {$ref: "#/components/schemas/Instant"}
                      to: {$ref: "#/components/schemas/Instant"}
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
                  description: >-
                    Transactions whose history the App Store does not tell: asked for again (put_aside), or not known
                    to it (failed)
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
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/Recovery"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            Recovery:
              type: object
              required:
                [object, id, app, environment, cause, state, from, to, types, created_at, windows, open_windows,
                 pages, found, new, duplicates, failed]
              properties:
                object: {const: recovery}
                id: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
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
            WebhookPayload: {type: string, enum: [counterfoil, compatible]}
            NewWebhook:
              type: object
              required: [name, url]
              additionalProperties: false
              properties:
                name: {type: string, minLength: 1, maxLength: 100}
                url: {type: string, format: uri}
                events:
                  type: [array, "null"]
                  minItems: 1
                  maxItems: 100
                  items: {type: string}
                  description: >-
                    Types such as subscription.renewed or subscription.*, which match an event that there is; null:
                    all
                payload: {$ref: "#/components/schemas/WebhookPayload"}
                apps:
                  type: [array, "null"]
                  minItems: 1
                  items: {type: string}
                  description: "Bundle IDs; null: all"
                environments:
                  type: [array, "null"]
                  minItems: 1
                  items: {type: string, enum: [Production, Sandbox]}
                  description: "null: both"
            WebhookChange:
              type: object
              minProperties: 1
              additionalProperties: false
              properties:
                url: {type: string, format: uri}
                events:
                  type: [array, "null"]
                  minItems: 1
                  maxItems: 100
                  items: {type: string}
                  description: >-
                    Types such as subscription.renewed or subscription.*, which match an event that there is; null:
                    all
                payload: {$ref: "#/components/schemas/WebhookPayload"}
                apps:
                  type: [array, "null"]
                  minItems: 1
                  items: {type: string}
                  description: "Bundle IDs; null: all"
                environments:
                  type: [array, "null"]
                  minItems: 1
                  items: {type: string, enum: [Production, Sandbox]}
                  description: "null: both"
                enabled: {type: boolean}
                discard_backlog: {type: boolean, description: Forget what waits to be sent; begin at the present}
                add_secret: {type: boolean}
                retire_secret: {type: string, description: The fingerprint of a secret}
            Webhook:
              type: object
              required:
                [object, name, url, events, payload, apps, environments, is_configured, enabled, secrets, created_at]
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
                disabled_at: {$ref: "#/components/schemas/Instant"}
                failing_since: {$ref: "#/components/schemas/Instant"}
                secrets:
                  type: array
                  items:
                    type: object
                    required: [object, fingerprint]
                    properties:
                      object: {const: webhook_secret}
                      fingerprint: {type: string}
                created_at: {$ref: "#/components/schemas/Instant"}
                secret: {type: string, description: Only where it was just made}
            WebhookList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/Webhook"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            DeliveryState: {type: string, enum: [pending, delivered, failed, discarded]}
            WebhookDelivery:
              type: object
              required: [object, id, event_id, event_type, event_sequence, state, attempts, created_at]
              properties:
                object: {const: webhook_delivery}
                id: {type: string}
                event_id: {type: string}
                event_type: {$ref: "#/components/schemas/EventType"}
                event_sequence: {type: integer, format: int64}
                is_repeat:
                  type: boolean
                  description: Whether the event is said again after an older one that became known late
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
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/WebhookDelivery"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            WebhookDeliveryDetail:
              allOf:
                - {$ref: "#/components/schemas/WebhookDelivery"}
                - type: object
                  required: [message_id, attempt_list]
                  properties:
                    message_id: {type: string, description: The header webhook-id}
                    attempt_list: {type: array, items: {$ref: "#/components/schemas/WebhookAttempt"}}
                    body:
                      type: string
                      description: The exact text that is sent; left out when there is nothing to say any more
            EventDelivery:
              allOf:
                - {$ref: "#/components/schemas/WebhookDelivery"}
                - type: object
                  required: [endpoint, attempt_list]
                  properties:
                    endpoint: {type: string, description: Its name}
                    attempt_list: {type: array, items: {$ref: "#/components/schemas/WebhookAttempt"}}
            WebhookAttempt:
              type: object
              required: [object, at, duration_ms, answer]
              properties:
                object: {const: webhook_attempt}
                at: {$ref: "#/components/schemas/Instant"}
                duration_ms: {type: integer, format: int64}
                status: {type: integer, description: The HTTP status of the answer}
                error: {type: string, description: Why it did not succeed}
                answer: {type: string, description: The first 512 bytes of the answer}
            Search:
              type: object
              required: [object, query, tried, items]
              properties:
                object: {const: search}
                query: {type: string}
                tried:
                  type: array
                  items:
                    type: object
                    required: [kind, found]
                    properties:
                      kind: {type: string}
                      found: {type: boolean}
                      note: {type: string}
                items: {type: array, items: {$ref: "#/components/schemas/SearchResult"}}
            SearchResult:
              type: object
              required: [object, kind, id, customers]
              properties:
                object: {const: search_result}
                kind: {enum: [transaction, original_transaction, event, notification, customer]}
                id: {type: string}
                app: {type: string}
                environment: {type: string}
                customers: {type: array, items: {type: string}}
            Decoded:
              type: object
              required: [object, kind, is_proven, message, checks, parts]
              properties:
                object: {const: decoded}
                name: {type: string, description: The member that a part was in}
                kind: {type: string, description: "What it is, such as transaction, app_receipt or webhook; or unknown"}
                is_proven: {type: boolean, description: Whether all that can be proven about it was}
                code: {type: string, description: Why it was refused}
                message: {type: string, description: The verdict in a sentence}
                checks:
                  type: array
                  description: Every check in the order in which it is made
                  items:
                    type: object
                    required: [name, result]
                    properties:
                      name: {type: string}
                      result: {enum: [passed, failed, not_reached, not_asked]}
                      note: {type: string}
                verification: {$ref: "#/components/schemas/Verification"}
                payload:
                  type: object
                  description: What it says, with Apple's names. Do not believe it unless is_proven.
                parts: {type: array, items: {$ref: "#/components/schemas/Decoded"}}
                known:
                  type: object
                  description: Where it is in the ledger
                  required: [kind, id, app, environment, customers]
                  properties:
                    kind: {enum: [transaction, notification]}
                    id: {type: string}
                    app: {type: string}
                    environment: {type: string}
                    customers: {type: array, items: {type: string}}
                    note: {type: string}
                    differences:
                      type: array
                      description: What the newest text that the ledger keeps says otherwise about a transaction
                      items:
                        type: object
                        required: [member, kept, shown]
                        properties:
                          member: {type: string, description: Apple's name of it}
                          kept: {type: string}
                          shown: {type: string}
            AuditList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/AuditEntry"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            AuditEntry:
              type: object
              required: [object, id, at, actor, action, result, digest, is_chained]
              properties:
                object: {const: audit_entry}
                id: {type: string}
                at: {$ref: "#/components/schemas/Instant"}
                actor: {type: string, description: The name of the key; nobody for one that is not known}
                session: {type: string, description: The console's session}
                address: {type: string}
                action: {type: string}
                target: {type: string}
                detail: {type: string, description: The query of the request}
                result: {type: string, description: The status and the code of a failure}
                digest: {type: string, description: SHA-256 over the entry and the digest of the one before it}
                is_chained:
                  type: boolean
                  description: False where the entry before it was removed or changed, or this one was
            WebhookReplay:
              type: object
              required: [object, deliveries, is_complete]
              properties:
                object: {const: webhook_replay}
                deliveries: {type: integer}
                is_complete: {type: boolean}
                after: {type: integer, format: int64, description: Where the rest begins}
            EventType:
              type: string
              enum:
                - app.extension_summarized
                - app.test
                - customer.consent_rescinded
                - external_purchase.token_active
                - external_purchase.token_created
                - external_purchase.token_unreported
                - grant.created
                - grant.expired
                - grant.revoked
                - purchase.linked
                - purchase.made
                - purchase.refunded
                - purchase.revoked
                - purchase.transferred
                - refund.declined
                - refund.requested
                - refund.reversed
                - subscription.billing_failed
                - subscription.cancelled
                - subscription.change_cancelled
                - subscription.downgrade_scheduled
                - subscription.expired
                - subscription.extended
                - subscription.extension_failed
                - subscription.grace_period_expired
                - subscription.grace_period_started
                - subscription.metadata_changed
                - subscription.migrated
                - subscription.offer_redeemed
                - subscription.price_changed
                - subscription.price_increase_accepted
                - subscription.price_increase_pending
                - subscription.recovered
                - subscription.renewal_changed
                - subscription.renewed
                - subscription.restarted
                - subscription.started
                - subscription.uncancelled
                - subscription.upgraded
                - webhook.test
            Event:
              type: object
              description: What happened, as webhooks send it and GET /v1/events lists it
              required: [type, data]
              properties:
                type: {$ref: "#/components/schemas/EventType"}
                data: {$ref: "#/components/schemas/EventData"}
            EventData:
              type: object
              required: [object, id, sequence, occurred_at, created_at]
              properties:
                object: {const: event}
                id: {type: string}
                repeats: {type: string, description: "Only of a repetition: the event that it repeats"}
                sequence: {type: integer, format: int64, description: The order in which the server learned of events}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                customer: {type: string, description: Whose purchase it was at that moment}
                original_transaction_id: {type: string}
                occurred_at: {$ref: "#/components/schemas/Instant"}
                created_at: {$ref: "#/components/schemas/Instant"}
                notification: {$ref: "#/components/schemas/EventNotification"}
                status: {$ref: "#/components/schemas/SubscriptionStatus"}
                status_name: {$ref: "#/components/schemas/SubscriptionStatusName"}
                consumption_request_reason: {type: string, description: Apple's word}
                transaction: {$ref: "#/components/schemas/EventTransaction"}
                renewal: {$ref: "#/components/schemas/EventRenewal"}
                summary:
                  type: object
                  properties:
                    request_identifier: {type: string}
                    product_id: {type: string}
                    storefronts: {type: array, items: {type: string}}
                    succeeded_count: {type: integer, format: int64}
                    failed_count: {type: integer, format: int64}
                external_purchase_token:
                  type: object
                  properties:
                    external_purchase_id: {type: string}
                    token_creation_date: {$ref: "#/components/schemas/Instant"}
                    token_expiration_date: {$ref: "#/components/schemas/Instant"}
                    token_type: {type: string}
                details:
                  type: object
                  description: Of events that are no notification
                  properties:
                    from: {type: array, items: {type: string}}
                    to: {type: array, items: {type: string}}
                    grant: {type: string}
                    entitlement: {type: string}
                    until: {$ref: "#/components/schemas/Instant"}
                    reason: {type: string}
                    actor: {type: string}
            EventNotification:
              type: object
              required: [type, uuid]
              properties:
                type: {type: string, description: notificationType}
                subtype: {type: string}
                uuid: {type: string}
                signed_date: {$ref: "#/components/schemas/Instant"}
            EventTransaction:
              type: object
              description: What the App Store signed of the transaction
              required: [transaction_id, original_transaction_id, product_id, type, purchase_date, ownership, signed_date]
              properties:
                transaction_id: {type: string}
                original_transaction_id: {type: string}
                product_id: {type: string}
                type: {$ref: "#/components/schemas/ProductType"}
                subscription_group_identifier: {type: string}
                purchase_date: {$ref: "#/components/schemas/Instant"}
                original_purchase_date: {$ref: "#/components/schemas/Instant"}
                expires_date: {$ref: "#/components/schemas/Instant"}
                quantity: {type: integer}
                reason: {type: string, description: Apple's word, examples: [PURCHASE, RENEWAL]}
                ownership: {$ref: "#/components/schemas/Ownership"}
                app_account_token: {type: string, format: uuid}
                app_transaction_id: {type: string}
                storefront: {type: string}
                currency: {type: string}
                price_milliunits: {type: integer, format: int64, description: In thousandths of the currency}
                offer_type: {type: integer}
                offer_identifier: {type: string}
                offer_discount_type: {$ref: "#/components/schemas/OfferDiscountType"}
                is_upgraded: {type: boolean}
                revocation_date: {$ref: "#/components/schemas/Instant"}
                revocation_reason: {type: integer}
                revocation_type: {$ref: "#/components/schemas/RevocationType"}
                revocation_percentage: {type: integer}
                signed_date: {$ref: "#/components/schemas/Instant"}
            EventRenewal:
              type: object
              description: What the App Store signed of the renewal
              required: [product_id, will_renew, is_in_billing_retry, signed_date]
              properties:
                product_id: {type: string}
                auto_renew_product_id: {type: string}
                will_renew: {type: boolean}
                expiration_intent: {type: integer}
                is_in_billing_retry: {type: boolean}
                grace_period_expires_date: {$ref: "#/components/schemas/Instant"}
                price_increase_status: {type: integer}
                renewal_date: {$ref: "#/components/schemas/Instant"}
                renewal_price_milliunits: {type: integer, format: int64, description: In thousandths of the currency}
                currency: {type: string}
                offer_type: {type: integer}
                offer_identifier: {type: string}
                signed_date: {$ref: "#/components/schemas/Instant"}
            SignedPayload:
              type: object
              required: [signedPayload]
              properties:
                signedPayload: {type: string, description: A JWS}
            Readiness:
              type: object
              required: [object, status, parts]
              properties:
                object: {const: health}
                status: {type: string, enum: [ready, not_ready]}
                parts:
                  type: array
                  items:
                    type: object
                    required: [name, status]
                    properties:
                      name: {type: string, enum: [server, ledger]}
                      status: {type: string, description: "ok, draining, or what is wrong"}

        """#
}
