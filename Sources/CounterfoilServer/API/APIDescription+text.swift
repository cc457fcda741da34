// Made by Scripts/embed from openapi.yaml beside it. Change that file, not this one.
// swift-format-ignore-file

extension APIDescription {
    /// The text of the file.
    package static let text = #"""
        # The response of /openapi.yaml. Run Scripts/embed after a change. Tests compare it with the routes and responses.
        openapi: 3.1.0
        info:
          title: Counterfoil
          version: "1"
          summary: What customers bought on the App Store, and why
          description: >-
            Instants in responses are milliseconds since 1970. Members that end in `_date` are Apple's, those that end in `_at`
            the server's. Exceptions: the ends of spans (`since`, `until`, `from`, `to`, and members that end in `_since` or
            `_until`), `as_of`, the `at` of attempts and audit entries, the `not_before` and `not_after` of certificates, and
            the `timestamp` of an offer signature. Requests also accept ISO 8601 with a time zone. Unknown values are left out.
            Members may be added at any time, and so may values of Apple's enumerations. Every response has the header
            x-request-id, which the server's log uses too; errors repeat it as request_id. Every response has Cache-Control:
            no-store. A method that a path does not accept returns 405 with the header Allow. Unknown query parameters return
            400 (unknown_parameter). maxLength counts bytes of UTF-8. A POST below /v1 may have the header Idempotency-Key, 1 to
            255 visible ASCII characters (ignored with a public key, and by POST /v1/sessions, POST /v1/decode and POST
            /v1/transactions/{id}/recover): for a day, a repeated request with the same key returns the stored response with the
            header Idempotent-Replayed and has no further effect; a different request with that key returns 422
            (idempotency_key_reused). Responses with 5xx, 401, 403, 429 or invalid_nonce are not stored, and a replayed
            response has no Counterfoil-Signature.
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
              summary: Retrieve a customer
              description: >-
                Needs the scope customers:read. An unknown customer is returned without purchases. The response has all
                purchases, without pages. With `at`, it has what the customer owned at that instant, according to the data that
                was signed until then; before its first claim, a purchase counts as owned by the first customer to claim it.
                More than 2,000 notifications return 422 (too_many_texts).
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/at"}
                - name: include
                  in: query
                  schema: {type: array, items: {type: string, enum: [periods, spend]}}
                  style: form
                  explode: false
                  description: Add the periods of each purchase for a time axis (periods), or the amounts paid (spend)
                - {$ref: "#/components/parameters/nonce"}
              responses:
                "200":
                  description: The customer
                  headers:
                    Counterfoil-Signature: {$ref: "#/components/headers/signature"}
                  content: {application/json: {schema: {$ref: "#/components/schemas/Customer"}}}
                default: {$ref: "#/components/responses/error"}
            delete:
              operationId: eraseCustomer
              tags: [customers]
              summary: Erase a customer's personal data
              description: >-
                Needs the scope customers:erase. Claims lose the customer's name; grants, usage and stored responses are
                deleted. Data that the App Store signed is kept without an owner. docs/privacy.md lists what is kept, and why.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The numbers of erased and kept records
                  content: {application/json: {schema: {$ref: "#/components/schemas/Erasure"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/timeline:
            get:
              operationId: getTimeline
              tags: [customers]
              summary: List a customer's timeline, newest first
              description: >-
                Needs the scope customers:read, with `expand` support:read as well. The timeline has the notifications about
                purchases and Apple accounts while they were the customer's, changes of ownership, grants, and the first
                purchase of the app.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/at"}
                - name: expand
                  in: query
                  schema: {type: string, minLength: 1, maxLength: 255}
                  description: "A notificationUUID: if it is on the page, its entry has the whole notification, verified again"
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of the timeline
                  content: {application/json: {schema: {$ref: "#/components/schemas/TimelineEntryList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/timeline/{uuid}:
            get:
              operationId: getTimelineEntry
              tags: [customers]
              summary: Retrieve a notification of a customer's timeline, verified again
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
                  content: {application/json: {schema: {$ref: "#/components/schemas/DecodedNotification"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/claims:
            get:
              operationId: listClaims
              tags: [customers]
              summary: List the ownership of a customer's present and former purchases
              description: Needs the scope support:read. Ordered by original transaction ID.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/at"}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of purchases
                  content: {application/json: {schema: {$ref: "#/components/schemas/ClaimList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/entitlements/{key}/explain:
            get:
              operationId: explainEntitlement
              tags: [customers]
              summary: Explain why a customer has an entitlement or not
              description: >-
                Needs the scope customers:read. The text of every listed fact is verified again. For an instant in the past,
                more than 2,000 signed texts return 422 (too_many_texts).
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {name: key, in: path, required: true, schema: {type: string, minLength: 1}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/at"}
                - name: limit
                  in: query
                  schema: {type: integer, minimum: 1, maximum: 500, default: 50}
                  description: The maximum number of facts; the deciding facts come first, then the latest of the others
                - {$ref: "#/components/parameters/include"}
              responses:
                "200":
                  description: The explanation
                  content: {application/json: {schema: {$ref: "#/components/schemas/Explanation"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/purchases:
            post:
              operationId: reportPurchases
              tags: [customers]
              summary: Report a customer's purchases and retrieve the customer
              description: >-
                Needs the scope customers:write. All data must belong to one app and one environment, so the parameters app and
                environment are optional. The server fetches the rest of the Apple account's history from the App Store; with a
                public key at most once a minute for each Apple account. Purchases of another customer follow the app's restore
                policy; those signed with another customer's account token move only with `restore: true`, otherwise that
                customer keeps them (receipt_already_in_use), as after 100 changes of owner in a day. Each transaction has its
                own result: finish those in `kept`; `refused` has the others. If nothing is kept the response is an error: 400,
                or 409 receipt_already_in_use (not with `restore: false`). 409 customer_erased, whatever `restore` is: the
                customer was erased while the report was processed, so nothing was assigned to them; do not repeat the request.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/nonce"}
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/PurchaseReport"}}}
              responses:
                "200":
                  description: >-
                    The customer, as GET returns it. The member history is present only if the App Store's history could not be
                    read completely.
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
                                description: The transactions that are stored and belong to the customer
                                items: {type: string}
                              refused:
                                type: array
                                description: The other transactions, with the reasons
                                items: {$ref: "#/components/schemas/RefusedTransaction"}
                              history: {$ref: "#/components/schemas/HistoryRequestState"}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/purchases/{original}/transfer:
            post:
              operationId: transferPurchase
              tags: [customers]
              summary: Give a purchase to a customer, regardless of the restore policy
              description: >-
                Needs the scope customers:transfer, which a public key cannot have. The former customer loses the purchase, even
                if it was signed with that customer's account token, and an event purchase.transferred is sent. The reason is
                stored in the audit log. Repeating the request changes nothing.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - name: original
                  in: path
                  required: true
                  description: A transaction of the purchase, such as its original one
                  schema: {type: string, minLength: 1, maxLength: 64}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/nonce"}
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [reason]
                      properties:
                        reason: {type: string, minLength: 1, maxLength: 500, description: "The reason, for the audit log"}
              responses:
                "200":
                  description: The customer, as GET returns it
                  headers:
                    Counterfoil-Signature: {$ref: "#/components/headers/signature"}
                  content: {application/json: {schema: {$ref: "#/components/schemas/Customer"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/merge:
            post:
              operationId: mergeCustomers
              tags: [customers]
              summary: Merge a customer into another, such as an anonymous one into an account
              description: >-
                Needs the scope customers:write. A public key needs the customer tokens of both customers: that of the account
                in the header, that of the other one in from_token. Both must be in one app and one environment. A repeated
                merge moves only what the other customer has acquired since. What changed its owner 100 times in a day stays.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/nonce"}
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/MergeRequest"}}}
              responses:
                "200":
                  description: The customer, as GET returns it
                  headers:
                    Counterfoil-Signature: {$ref: "#/components/headers/signature"}
                  content: {application/json: {schema: {$ref: "#/components/schemas/Customer"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/keys:
            get:
              operationId: listResponseSigningKeys
              tags: [customers]
              summary: List the public keys of signed responses
              description: >-
                Needs the scope customers:read. Read them once over a trusted connection and ship them with the app: keys that
                an app fetches at run time prove nothing.
              responses:
                "200":
                  description: The keys of the apps that have an answer_key
                  content: {application/json: {schema: {$ref: "#/components/schemas/ResponseSigningKeyList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/sessions:
            post:
              operationId: beginSession
              tags: [customers]
              summary: Create a session from an app transaction, for apps without a backend
              description: >-
                Needs the scope customers:write and a customer_token_secret of the app; a public key needs no customer token
                here. The customer is anonymous and derived from the Apple account. The token can only read what the customer
                has and report what the Apple account itself bought.
              security:
                - {key: []}
              parameters:
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/SessionRequest"}}}
              responses:
                "200":
                  description: The session
                  content: {application/json: {schema: {$ref: "#/components/schemas/Session"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/grants:
            post:
              operationId: createGrant
              tags: [customers]
              summary: Grant a customer an entitlement without a purchase
              description: >-
                Needs the scope grants:write. For goodwill, web shops or employees; grants are kept apart from what the App
                Store signed. A customer has at most 100 active grants (422 too_many_grants).
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/NewGrant"}}}
              responses:
                "201":
                  description: The grant
                  content: {application/json: {schema: {$ref: "#/components/schemas/Grant"}}}
                default: {$ref: "#/components/responses/error"}
            get:
              operationId: listGrants
              tags: [customers]
              summary: List a customer's grants, oldest first
              description: Needs the scope customers:read. With a public key, reasons and actors are left out.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of grants
                  content: {application/json: {schema: {$ref: "#/components/schemas/GrantList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/grants/{grant}/revoke:
            post:
              operationId: revokeGrant
              tags: [customers]
              summary: Revoke a grant
              description: >-
                Needs the scope grants:write. A revoked grant stays as it is; an expired one returns 409 (grant_expired).
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {name: grant, in: path, required: true, schema: {type: string, minLength: 1}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/GrantRevocation"}}}
              responses:
                "200":
                  description: The grant
                  content: {application/json: {schema: {$ref: "#/components/schemas/Grant"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/entitlements/{key}:
            get:
              operationId: getEntitlement
              tags: [customers]
              summary: Retrieve one entitlement of a customer
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
                  content: {application/json: {schema: {$ref: "#/components/schemas/CustomerEntitlement"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/refunds:
            get:
              operationId: listRefunds
              tags: [support]
              summary: List a customer's refunds, newest first, from the App Store
              description: >-
                Needs the scope support:read. The App Store's answer is stored.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The refunded transactions
                  content: {application/json: {schema: {$ref: "#/components/schemas/TransactionList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/refresh:
            post:
              operationId: refreshCustomer
              tags: [support]
              summary: Fetch all purchases of a customer's Apple accounts from the App Store
              description: >-
                Needs the scope support:write. Returns the customer.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The customer; `refreshed` is the number of Apple accounts that were queried
                  content: {application/json: {schema: {$ref: "#/components/schemas/RefreshedCustomer"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/subscriptions/{id}:
            get:
              operationId: getSubscription
              tags: [customers]
              summary: Retrieve a subscription by its original transaction ID
              description: >-
                Needs the scope customers:read.
              parameters:
                - {name: id, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 64}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The subscription
                  content: {application/json: {schema: {$ref: "#/components/schemas/OwnedSubscription"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/subscriptions/{id}/extend:
            post:
              operationId: extendSubscription
              tags: [support]
              summary: Extend a subscription
              description: >-
                Needs the scope support:write. The App Store allows two extensions in 365 days. Its result is stored. Send
                request_identifier or the header Idempotency-Key: a request with neither that is repeated, for example after a
                failure, is another extension.
              parameters:
                - {name: id, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 64}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/NewExtension"}}}
              responses:
                "200":
                  description: The result of the extension
                  content: {application/json: {schema: {$ref: "#/components/schemas/RenewalExtension"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/extensions:
            post:
              operationId: extendAllSubscriptions
              tags: [support]
              summary: Extend all active subscriptions of a product
              description: >-
                Needs the scope support:write. The App Store needs hours or days for it. Send request_identifier or the header
                Idempotency-Key: a request with neither that is repeated, for example after a failure, is another extension.
              parameters:
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/NewMassExtension"}}}
              responses:
                "202":
                  description: The accepted request
                  content: {application/json: {schema: {$ref: "#/components/schemas/MassExtension"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/extensions/{id}:
            get:
              operationId: getExtension
              tags: [support]
              summary: Retrieve the progress of a mass extension
              description: >-
                Needs the scope support:read.
              parameters:
                - {name: id, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 64}}
                - {name: product_id, in: query, required: true, schema: {type: string, minLength: 1, maxLength: 255}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The progress
                  content: {application/json: {schema: {$ref: "#/components/schemas/MassExtension"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/transactions/{id}/recover:
            post:
              operationId: recoverTransaction
              tags: [support]
              summary: Fetch a transaction and its Apple account's purchases from the App Store
              description: >-
                Needs the scope support:write.
              parameters:
                - {name: id, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 64}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The transaction
                  content: {application/json: {schema: {$ref: "#/components/schemas/Transaction"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/purchases:
            get:
              operationId: listUnclaimedPurchases
              tags: [support]
              summary: List unclaimed purchases
              description: >-
                Needs the scope support:read. Purchases that nobody ever claimed, without those of erased customers. A page may
                have fewer items than limit; continue until next_page is null.
              parameters:
                - {name: claimed, in: query, required: true, schema: {type: string, enum: ["false"]}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of purchases, by original transaction
                  content: {application/json: {schema: {$ref: "#/components/schemas/UnclaimedPurchaseList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/segments:
            get:
              operationId: listSegments
              tags: [support]
              summary: List segments with the number of purchases in each
              description: Needs the scope support:read.
              parameters:
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: All segments, with the number of purchases in each
                  content: {application/json: {schema: {$ref: "#/components/schemas/SegmentList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/segments/{name}:
            get:
              operationId: listSegmentMembers
              tags: [support]
              summary: List the purchases in a segment and their customers
              description: >-
                Needs the scope support:read. Ordered by the end, soonest first; in_billing_retry, win_back_eligible and
                refunded by the beginning, latest first. A page may have fewer items than limit; continue until next_page is
                null. With `format=csv`, or the header `Accept: text/csv`, it returns CSV, and the header `Link` leads to the
                next page.
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
                  description: Only those that end, or began, within this many days
                - name: reason
                  in: query
                  schema: {type: string, minLength: 1, maxLength: 255}
                  description: Only those with this reason
                - {name: format, in: query, schema: {type: string, enum: [json, csv]}}
                - {$ref: "#/components/parameters/page"}
                - name: limit
                  in: query
                  schema: {type: integer, minimum: 1, maximum: 1000, default: 50}
                  description: More than 100 only with CSV
              responses:
                "200":
                  description: A page of purchases
                  headers:
                    Link: {schema: {type: string}, description: The next page of the CSV}
                    Content-Disposition: {schema: {type: string}, description: The file name of the CSV}
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
              summary: Search by an exact identifier
              description: >-
                Needs the scope support:read. Searches transactions, original transactions, events, notifications and customers,
                and lists the kinds that it searched. For orders see getOrder.
              parameters:
                - {name: q, in: query, required: true, schema: {type: string, minLength: 1, maxLength: 255}}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The results
                  content: {application/json: {schema: {$ref: "#/components/schemas/Search"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/decode:
            post:
              operationId: decode
              tags: [customers]
              summary: Verify and read signed data, a receipt, certificates or a webhook
              description: >-
                Needs the scope support:read. Nothing is stored or logged. The body is the data to read, up to 4 MiB: a JWS,
                JSON with a signedPayload, a receipt in base64 or as bytes, a verifyReceipt response, a certificate chain in
                PEM, an offer's signature in the original format, or a webhook of this server as headers, an empty line and the
                body (also needs webhooks:write). A transaction, renewal info or notification that the ledger knows is compared
                with its newest text, member by member.
              parameters:
                - name: at
                  in: query
                  description: "The instant at which to verify. Default: the signing date"
                  schema: {$ref: "#/components/schemas/RequestInstant"}
                - name: revocation
                  in: query
                  description: Whether to query Apple's OCSP responders
                  schema: {type: string, enum: ["off", soft], default: "off"}
              requestBody:
                required: true
                content:
                  application/octet-stream:
                    schema: {type: string, format: binary}
              responses:
                "200":
                  description: The verdict, also for data that fails verification
                  content: {application/json: {schema: {$ref: "#/components/schemas/Decoded"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/audit:
            get:
              operationId: listAudit
              tags: [operations]
              summary: List the audit log, newest first
              description: >-
                Needs the scope audit:read, and a key for all apps and environments. The log has all changes made with a key or
                in the console, sign-ins, refusals and its exports as CSV, for 400 days. Of the requests without a key or with a
                public one, it has at most a hundred refusals an hour. Each entry's digest covers the entry before it. With
                `format=csv`, or the header `Accept: text/csv`, it returns CSV, and the header `Link` leads to the next page.
              parameters:
                - {$ref: "#/components/parameters/page"}
                - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 1000, default: 50}}
                - {name: format, in: query, schema: {type: string, enum: [json, csv], default: json}}
              responses:
                "200":
                  description: A page of the log
                  headers:
                    Link: {schema: {type: string}, description: The next page of the CSV}
                    Content-Disposition: {schema: {type: string}, description: The file name of the CSV}
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
              summary: List events, oldest first, as an alternative to webhooks; or stream changes
              description: >-
                Needs the scope operations:read. Objects and ordering are those of webhooks. `page=end` starts after the last
                event. next_page is always present: store it and pass it as `page` the next time. A page after the last event
                returns 409 (page_ahead): the ledger was restored from a backup; start again without `page`. While a text cannot
                be verified, for example because a required OCSP responder does not answer, its page returns 503
                (revocation_unknown); no event is skipped. With `topics` the response is a stream of server-sent events instead,
                each `{"topic":…,"version":…}`: each names a topic that changed in any app or environment, without the change
                itself. Each topic is sent at most once a second, and a comment every 20 seconds. A server has 64 streams; the
                65th request returns 503 (too_many_streams).
              parameters:
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
                - name: topics
                  in: query
                  schema: {type: string}
                  description: >-
                    Up to 8 names separated by commas: overview, inbox (notifications), recoveries, deliveries (all endpoints,
                    scope webhooks:write), deliveries:NAME, customer:ID (scope customers:read), NAME and ID as in a path
                - name: since
                  in: query
                  schema: {type: integer}
                  description: With topics, the last version received; later changes are sent immediately
              responses:
                "200":
                  description: A page of events, or a stream
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/EventList"}
                    text/event-stream:
                      schema: {type: string}
                default: {$ref: "#/components/responses/error"}
          /v1/events/{id}/deliveries:
            get:
              operationId: listDeliveriesOfEvent
              tags: [webhooks]
              summary: List the deliveries of an event, with all attempts
              description: >-
                Needs the scope webhooks:write. Returns the deliveries to the endpoints that the key can manage, newest first. A
                delivery is kept for thirty days after it ends. The event ID of a notification is evt_ followed by its
                notificationUUID.
              parameters:
                - {name: id, in: path, required: true, schema: {type: string, minLength: 1}, description: The event's ID}
              responses:
                "200":
                  description: The deliveries
                  content: {application/json: {schema: {$ref: "#/components/schemas/EventDeliveryList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/consumption:
            get:
              operationId: listAllConsumptionRequests
              tags: [support]
              summary: List consumption requests of all customers
              description: >-
                Needs the scope support:read. Newest first; with state=pending only unanswered ones, by deadline and without
                pages.
              parameters:
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {name: state, in: query, schema: {type: string, enum: [pending]}}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of consumption requests
                  content: {application/json: {schema: {$ref: "#/components/schemas/ConsumptionRequestList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/usage:
            post:
              operationId: reportUsage
              tags: [customers]
              summary: Report consent and usage for consumption requests
              description: >-
                Needs the scope customers:write. Members that are left out keep their earlier values. Consent applies to all
                purchases of the customer. A public key can report customer_consented only: delivery and usage affect the
                decision on the customer's own refund.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/UsageReport"}}}
              responses:
                "204": {description: Stored}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/consumption:
            get:
              operationId: listConsumptionRequests
              tags: [customers]
              summary: List a customer's consumption requests
              description: Needs the scope customers:read. With `transaction_id` only those about this transaction.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {name: transaction_id, in: query, schema: {type: string, minLength: 1, maxLength: 255}}
              responses:
                "200":
                  description: The latest hundred
                  content: {application/json: {schema: {$ref: "#/components/schemas/ConsumptionRequestList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/consumption/preview:
            get:
              operationId: previewConsumption
              tags: [customers]
              summary: Preview the answer to a consumption request
              description: Needs the scope customers:read.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
                - {name: transaction_id, in: query, required: true, schema: {type: string, minLength: 1}}
              responses:
                "200":
                  description: The preview
                  content: {application/json: {schema: {$ref: "#/components/schemas/ConsumptionPreview"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/offers/promotional:
            post:
              operationId: signPromotionalOffer
              tags: [offers]
              summary: Sign a promotional offer
              description: >-
                Needs the scope offers:sign. Refused for customers who never had a subscription, unless forced. A public key can
                sign only the app's public_offers, bound to a transaction of the customer or, in the original format, to the
                customer's identifier as account token.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/PromotionalOffer"}}}
              responses:
                "200":
                  description: The signature that the app passes to StoreKit
                  content: {application/json: {schema: {$ref: "#/components/schemas/OfferSignature"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/offers/introductory:
            post:
              operationId: signIntroductoryOffer
              tags: [offers]
              summary: Sign a customer's eligibility for an introductory offer
              description: >-
                Needs the scope offers:sign. The signature replaces the App Store's own eligibility check. Unless forced, it is
                refused (not_eligible) if the Apple account, under any customer, has a subscription in the product's group or
                had an introductory offer in it. unknown_group means that the configuration does not name the product's group.
                With a public key the Apple account must be known, by app_transaction or because the customer has exactly one;
                the server fetches its purchases from the App Store. history_unknown (503) means that the App Store did not
                return all of them, or that some failed verification.
              parameters:
                - {$ref: "#/components/parameters/customer"}
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/IntroductoryOffer"}}}
              responses:
                "200":
                  description: The signature that the app passes to StoreKit
                  content: {application/json: {schema: {$ref: "#/components/schemas/OfferSignature"}}}
                default: {$ref: "#/components/responses/error"}
          /verifyReceipt:
            get:
              operationId: verifyNoReceipt
              tags: [app store]
              summary: Return the status 21000, as the App Store did for other methods than POST
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
              summary: Verify a receipt for clients of the retired endpoint
              description: >-
                The password is the app's shared secret. Without shared_secrets in the configuration the status is always 21004.
              security: []
              parameters:
                - name: environment
                  in: query
                  schema: {type: string, enum: [Production, Sandbox]}
                  description: Which of the App Store's two endpoints to emulate
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
                  description: The response of the App Store's endpoint; status tells success from failure
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
              summary: Find a transaction's owner
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
                  content: {application/json: {schema: {$ref: "#/components/schemas/Transaction"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/orders/{id}:
            get:
              operationId: getOrder
              tags: [support]
              summary: Find an order's owner with a request to the App Store, production only
              description: Needs the scope support:read.
              parameters:
                - name: id
                  in: path
                  required: true
                  schema: {type: string, minLength: 1, maxLength: 64}
                  description: The order ID in the receipt that customers get by email
                - {$ref: "#/components/parameters/app"}
                - {$ref: "#/components/parameters/environment"}
              responses:
                "200":
                  description: The order
                  content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/notifications:
            get:
              operationId: listNotifications
              tags: [notifications]
              summary: List notifications, newest first
              description: >-
                Needs the scope operations:read. A page may have fewer items than limit; continue until next_page is null.
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
                  schema: {$ref: "#/components/schemas/RequestInstant"}
                  description: Received at this instant or later
                - name: to
                  in: query
                  schema: {$ref: "#/components/schemas/RequestInstant"}
                  description: Received before this instant
                - name: original_transaction_id
                  in: query
                  schema: {type: string, minLength: 1, maxLength: 255}
                  description: Only those about this subscription or purchase
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
            parameters:
              - {$ref: "#/components/parameters/notification"}
            get:
              operationId: getNotification
              tags: [notifications]
              summary: Retrieve a notification, verified again
              description: Needs the scope operations:read.
              parameters:
                - {$ref: "#/components/parameters/include"}
              responses:
                "200":
                  description: The notification
                  content: {application/json: {schema: {$ref: "#/components/schemas/DecodedNotification"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/notifications/reprocess:
            post:
              operationId: reprocessFailedNotifications
              tags: [notifications]
              summary: Reprocess all notifications that failed with a code
              description: >-
                Needs the scope operations:write. At most 10,000 at once. Events that were already sent are not sent again.
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
                        dry_run: {type: boolean, description: Only count the notifications}
              responses:
                "200":
                  description: The number of notifications, found or queued
                  content: {application/json: {schema: {$ref: "#/components/schemas/ReprocessingResult"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/notifications/{id}/reprocess:
            parameters:
              - {$ref: "#/components/parameters/notification"}
            post:
              operationId: reprocessNotification
              tags: [notifications]
              summary: Reprocess a notification
              description: Needs the scope operations:write. Events that were already sent are not sent again.
              responses:
                "202":
                  description: The queued notification
                  content: {application/json: {schema: {$ref: "#/components/schemas/Notification"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/notifications/{id}/attempts:
            parameters:
              - {$ref: "#/components/parameters/notification"}
            post:
              operationId: askForSendAttempts
              tags: [notifications]
              summary: Retrieve the App Store's attempts to deliver a notification
              description: >-
                Needs the scope operations:write, and a key for the App Store Server API in the configuration. Each request
                reads the App Store's notification history; the answer is not stored.
              responses:
                "200":
                  description: The attempts, up to six
                  content: {application/json: {schema: {$ref: "#/components/schemas/SendAttemptList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/refused:
            get:
              operationId: listRefused
              tags: [notifications]
              summary: List refused notifications, newest first
              description: >-
                Needs the scope operations:read, and a key for all apps and environments. The oldest are dropped when space
                runs out.
              parameters:
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of refusals
                  content: {application/json: {schema: {$ref: "#/components/schemas/RefusedDeliveryList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/completeness:
            get:
              operationId: getCompleteness
              tags: [recovery]
              summary: Retrieve until when notifications are complete, and what is missing
              description: >-
                Needs the scope operations:read. Returns one item for each app and environment of the key. complete_until is
                before the first notification that failed verification; read_until is how far the history was read.
                unverified_spans, unverified_items and histories have at most 20 items.
              responses:
                "200":
                  description: The completeness of each app and environment
                  content: {application/json: {schema: {$ref: "#/components/schemas/CompletenessList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/recoveries:
            get:
              operationId: listRecoveries
              tags: [recovery]
              summary: List recoveries, newest first
              description: Needs the scope operations:read. The last thousand of each app and environment are kept.
              parameters:
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of recoveries
                  content: {application/json: {schema: {$ref: "#/components/schemas/RecoveryList"}}}
                default: {$ref: "#/components/responses/error"}
            post:
              operationId: startRecovery
              tags: [recovery]
              summary: Start a recovery of a span of the notification history
              description: >-
                Needs the scope operations:write. New notifications are processed like delivered ones; known ones are skipped.
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
                        from: {$ref: "#/components/schemas/RequestInstant"}
                        to:
                          $ref: "#/components/schemas/RequestInstant"
                          description: "The end. Default: now"
                        types:
                          type: array
                          maxItems: 100
                          items: {type: string}
                          description: Only these types, such as EXPIRED (with every subtype) or EXPIRED.VOLUNTARY
                        dry_run: {type: boolean, description: "Plan only: nothing is fetched"}
              responses:
                "200":
                  description: The plan, for a dry run
                  content: {application/json: {schema: {$ref: "#/components/schemas/RecoveryPlan"}}}
                "202":
                  description: The recovery
                  headers:
                    Location: {schema: {type: string}}
                  content: {application/json: {schema: {$ref: "#/components/schemas/Recovery"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/recoveries/{id}:
            parameters:
              - {name: id, in: path, required: true, schema: {type: string, minLength: 1}}
            get:
              operationId: getRecovery
              tags: [recovery]
              summary: Retrieve a recovery and its progress
              description: Needs the scope operations:read.
              responses:
                "200":
                  description: The recovery
                  content: {application/json: {schema: {$ref: "#/components/schemas/Recovery"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks:
            get:
              operationId: listWebhooks
              tags: [webhooks]
              summary: List the webhook endpoints that the key can manage
              description: Needs the scope webhooks:write.
              responses:
                "200":
                  description: The endpoints
                  content: {application/json: {schema: {$ref: "#/components/schemas/WebhookList"}}}
                default: {$ref: "#/components/responses/error"}
            post:
              operationId: createWebhook
              tags: [webhooks]
              summary: Create a webhook endpoint; only this response has its secret
              description: >-
                Needs the scope webhooks:write. A key for some apps or environments can create endpoints for those only.
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/NewWebhook"}}}
              responses:
                "201":
                  description: The endpoint
                  content: {application/json: {schema: {$ref: "#/components/schemas/Webhook"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}:
            parameters:
              - {$ref: "#/components/parameters/webhook"}
            get:
              operationId: getWebhook
              tags: [webhooks]
              summary: Retrieve a webhook endpoint
              description: Needs the scope webhooks:write, and a key for all apps and environments of the endpoint.
              responses:
                "200":
                  description: The endpoint
                  content: {application/json: {schema: {$ref: "#/components/schemas/Webhook"}}}
                default: {$ref: "#/components/responses/error"}
            patch:
              operationId: changeWebhook
              tags: [webhooks]
              summary: Change, enable or disable a webhook endpoint, or rotate its secrets
              description: >-
                Needs the scope webhooks:write, and a key for all apps and environments of the endpoint. Omitted members do not
                change. Endpoints of the configuration file can only be enabled and disabled here.
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/WebhookChange"}}}
              responses:
                "200":
                  description: The endpoint, with its new secret if one was added
                  content: {application/json: {schema: {$ref: "#/components/schemas/Webhook"}}}
                default: {$ref: "#/components/responses/error"}
            delete:
              operationId: removeWebhook
              tags: [webhooks]
              summary: Remove a webhook endpoint and its pending deliveries
              description: >-
                Needs the scope webhooks:write, and a key for all apps and environments of the endpoint. An endpoint whose
                definition is damaged on disk is not listed; a key for all apps and environments can remove it by its name.
              responses:
                "204": {description: Removed}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}/deliveries:
            parameters:
              - {$ref: "#/components/parameters/webhook"}
            get:
              operationId: listDeliveries
              tags: [webhooks]
              summary: List the deliveries of a webhook endpoint, newest first
              description: >-
                Needs the scope webhooks:write, and a key for all apps and environments of the endpoint. A request with
                event_type or customer looks through 5,000 deliveries of each state: a page may have fewer items than limit, and
                next_page continues.
              parameters:
                - {name: state, in: query, schema: {$ref: "#/components/schemas/DeliveryState"}}
                - {name: event_id, in: query, schema: {type: string, minLength: 1}, description: Only those of this event}
                - name: event_type
                  in: query
                  description: Only those of this type, such as subscription.renewed
                  schema: {type: string, minLength: 1}
                - name: customer
                  in: query
                  description: Only those whose event names this customer
                  schema: {type: string, minLength: 1}
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of deliveries
                  content: {application/json: {schema: {$ref: "#/components/schemas/WebhookDeliveryList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}/deliveries/{id}:
            parameters:
              - {$ref: "#/components/parameters/webhook"}
              - name: id
                in: path
                required: true
                schema: {type: string, pattern: "^[0-9]{1,19}$"}
            get:
              operationId: getDelivery
              tags: [webhooks]
              summary: Retrieve a delivery with its attempts and the exact body
              description: >-
                Needs the scope webhooks:write, and a key for all apps and environments of the endpoint. Attempts are kept with
                the delivery, until thirty days after it ends.
              responses:
                "200":
                  description: The delivery
                  content: {application/json: {schema: {$ref: "#/components/schemas/WebhookDeliveryDetail"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}/replay:
            parameters:
              - {$ref: "#/components/parameters/webhook"}
            post:
              operationId: replayEvents
              tags: [webhooks]
              summary: Send an event, or all events of a span, again
              description: >-
                Needs the scope webhooks:write, and a key for all apps and environments of the endpoint. Send event_id, or from
                and to. Newer events about the same purchases are sent again after them, and are not counted. One request
                examines some 200,000 events and creates about 10,000 deliveries at most; repeat it with the `after` of the
                response until is_complete.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      properties:
                        event_id: {type: string}
                        from: {$ref: "#/components/schemas/RequestInstant"}
                        to: {$ref: "#/components/schemas/RequestInstant"}
                        after: {type: integer, format: int64}
                        dry_run: {type: boolean, description: Only count; send nothing}
              responses:
                "200":
                  description: "The result of a dry run: nothing was sent"
                  content: {application/json: {schema: {$ref: "#/components/schemas/WebhookReplay"}}}
                "202":
                  description: The created deliveries
                  content: {application/json: {schema: {$ref: "#/components/schemas/WebhookReplay"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/webhooks/{name}/test:
            parameters:
              - {$ref: "#/components/parameters/webhook"}
            post:
              operationId: testWebhook
              tags: [webhooks]
              summary: Send a test event (webhook.test)
              description: Needs the scope webhooks:write, and a key for all apps and environments of the endpoint.
              responses:
                "202":
                  description: The delivery
                  content: {application/json: {schema: {$ref: "#/components/schemas/WebhookDelivery"}}}
                default: {$ref: "#/components/responses/error"}
          /apple/notifications:
            post:
              operationId: receiveNotification
              tags: [app store]
              summary: Receive notifications of the App Store, version 2 and 1
              description: >-
                Version 1 notifications are accepted only with an app's shared secret as password; without shared_secrets in the
                configuration they are refused.
              security: []
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/SignedPayload"}}}
              responses:
                "200": {description: The notification is stored}
                default: {$ref: "#/components/responses/error"}
          /apple/retention:
            post:
              operationId: receiveRetentionRequest
              tags: [app store]
              summary: Answer the App Store's retention message requests
              security: []
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/SignedPayload"}}}
              responses:
                "200":
                  description: An empty object; the App Store shows the default message
                  content: {application/json: {schema: {type: object}}}
                default: {$ref: "#/components/responses/error"}
          /health/live:
            get:
              operationId: isLive
              tags: [operation]
              summary: Check that the process is alive
              security: []
              responses:
                "200":
                  description: The process is alive
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [object, status]
                        properties:
                          object: {const: health}
                          status: {const: live}
                default: {$ref: "#/components/responses/error"}
            head:
              operationId: isLiveByHead
              tags: [operation]
              summary: Check that the process is alive, without a body
              security: []
              responses:
                "200":
                  description: The process is alive
                  content: {application/json: {}}
                default: {$ref: "#/components/responses/error"}
          /health/ready:
            get:
              operationId: isReady
              tags: [operation]
              summary: Check that the server is ready for requests
              security: []
              responses:
                "200":
                  description: The server is ready
                  content: {application/json: {schema: {$ref: "#/components/schemas/Readiness"}}}
                "503":
                  description: The server is not ready; the parts say why
                  content: {application/json: {schema: {$ref: "#/components/schemas/Readiness"}}}
                default: {$ref: "#/components/responses/error"}
            head:
              operationId: isReadyByHead
              tags: [operation]
              summary: Check that the server is ready for requests, without a body
              security: []
              responses:
                "200":
                  description: The server is ready
                  content: {application/json: {}}
                "503":
                  description: The server is not ready
                  content: {application/json: {}}
                default: {$ref: "#/components/responses/error"}
          /metrics:
            get:
              operationId: getMetrics
              tags: [operation]
              summary: Retrieve metrics in Prometheus' text format
              description: >-
                Needs the scope operations:read and a key for all apps and environments, or with listen.metrics: local a request
                from the server's own machine.
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
                  description: "metrics_not_exposed: the server was started with another metrics backend"
                  content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/operations/metrics:
            get:
              operationId: listMetricsOfLastHour
              tags: [operation]
              summary: List the metrics of the last hour, one value a minute
              description: >-
                Needs the scope operations:read, and a key for all apps and environments. These are the charts of the operations
                page; /metrics has all current values.
              responses:
                "200":
                  description: The series, including those without a value yet
                  content: {application/json: {schema: {$ref: "#/components/schemas/MetricSeriesList"}}}
                "404":
                  description: "metrics_not_exposed: the server was started with another metrics backend"
                  content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/operations/health:
            get:
              operationId: listHealthParts
              tags: [operation]
              summary: List the parts of the server with their state
              description: Needs the scope operations:read, and a key for all apps and environments.
              responses:
                "200":
                  description: The parts
                  content: {application/json: {schema: {$ref: "#/components/schemas/HealthComponentList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/operations/keys:
            get:
              operationId: listAPIKeys
              tags: [operation]
              summary: List the keys of the configuration with their last use
              description: >-
                Needs the scope operations:read, and a key for all apps and environments. The keys themselves are not included.
              responses:
                "200":
                  description: The keys
                  content: {application/json: {schema: {$ref: "#/components/schemas/APIKeyList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/operations/configuration:
            get:
              operationId: listSettings
              tags: [operation]
              summary: Retrieve the effective configuration with the origin of each setting
              description: >-
                Needs the scope operations:read, and a key for all apps and environments. For secrets and keys it has only
                whether they are set, for URLs only the hosts.
              responses:
                "200":
                  description: The settings
                  content: {application/json: {schema: {$ref: "#/components/schemas/SettingList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/operations/sessions:
            get:
              operationId: listConsoleSessions
              tags: [operation]
              summary: List the sessions of the console
              description: >-
                Needs the scope audit:read, and a key for all apps and environments. Times are those of the machine's clock.
              responses:
                "200":
                  description: The sessions, the latest first
                  content: {application/json: {schema: {$ref: "#/components/schemas/ConsoleSessionList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/operations/sessions/{id}:
            delete:
              operationId: endConsoleSession
              tags: [operation]
              summary: End a session of the console; its user must sign in again
              description: Needs the scope operations:write, and a key for all apps and environments of the session's key.
              parameters:
                - name: id
                  in: path
                  required: true
                  schema: {type: string, minLength: 1, maxLength: 64}
                  description: The eight digits that identify the session in the audit log
              responses:
                "204": {description: Ended}
                default: {$ref: "#/components/responses/error"}
          /openapi.yaml:
            get:
              operationId: getDescription
              tags: [operation]
              summary: Retrieve this description
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
              summary: Receive an event, signed by Standard Webhooks 1.0
              description: >-
                The signature is HMAC-SHA256 over webhook-id, webhook-timestamp and the body, joined by full stops.
                docs/webhooks.md has the delivery guarantees. Endpoints with the payload compatible receive another format.
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
                content: {application/json: {schema: {$ref: "#/components/schemas/Event"}}}
              responses:
                2XX: {description: Delivered; the body is ignored}
                "410": {description: Disables the endpoint}
                default: {description: The event is sent again later}
        components:
          securitySchemes:
            key:
              type: http
              scheme: bearer
              description: A key of the configuration; counterfoil server keys create creates one
            customerToken:
              type: apiKey
              in: header
              name: Counterfoil-Customer-Token
              description: >-
                For public keys: a JWT that the app's backend signed with HS256 and customer_token_secret. sub is the customer,
                exp at most a day after iat; app_account_token, a UUID, is the account token of the customer's purchases if it
                is not sub
          parameters:
            customer:
              name: id
              in: path
              required: true
              schema: {type: string, minLength: 1, maxLength: 255}
              description: >-
                The app's identifier for the customer, in Unicode Normalization Form C, such as the appAccountToken of the
                customer's purchases
            notification:
              name: id
              in: path
              required: true
              schema: {type: string, minLength: 1}
              description: The notificationUUID
            webhook: {name: name, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 100}}
            app:
              name: app
              in: query
              schema: {type: string}
              description: The bundle ID; optional if there is only one app
            environment:
              name: environment
              in: query
              schema: {$ref: "#/components/schemas/Environment"}
              description: "Default: Production, unless the app has only the sandbox. Case is ignored"
            at:
              name: at
              in: query
              schema: {$ref: "#/components/schemas/RequestInstant"}
              description: "The state at this instant. Default: now"
            page: {name: page, in: query, schema: {type: string}, description: The next_page of an earlier response}
            limit:
              name: limit
              in: query
              schema: {type: integer, minimum: 1, maximum: 100, default: 50}
            include:
              name: include
              in: query
              schema: {type: string, enum: [signed_data]}
              description: Include the exact signed texts
            nonce:
              name: Counterfoil-Nonce
              in: header
              schema: {type: string, pattern: "^[A-Za-z0-9_-]{16,64}$"}
              description: Requests a signed response, if the app has an answer_key
          headers:
            requestId:
              schema: {type: string}
              description: The ID of the request, as in the server's log
            allow:
              schema: {type: string}
              description: "With 405: the methods that the path accepts"
            retryAfter:
              schema: {type: integer}
              description: "If waiting helps: backoff_ms in seconds, rounded up"
            authenticate:
              schema: {type: string}
              description: "With 401: the scheme Bearer"
            signature:
              schema: {type: string}
              description: >-
                With a nonce and an answer_key: the time in milliseconds, a full stop, and an Ed25519 signature in base64url
                over counterfoil-answer-1, the customer, the nonce and the time, each followed by a line feed, and the body
          responses:
            error:
              description: The request was refused, or is not possible at the moment
              headers:
                x-request-id: {$ref: "#/components/headers/requestId"}
                Allow: {$ref: "#/components/headers/allow"}
                Retry-After: {$ref: "#/components/headers/retryAfter"}
                WWW-Authenticate: {$ref: "#/components/headers/authenticate"}
              content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}
          schemas:
            Instant:
              type: integer
              format: int64
              minimum: -8640000000000000
              maximum: 8640000000000000
              description: Milliseconds since 1970
            RequestInstant:
              oneOf:
                - {$ref: "#/components/schemas/Instant"}
                - {type: string, format: date-time, description: ISO 8601 with a time zone}
            Environment: {type: string, enum: [Production, Sandbox]}
            ProductType:
              type: string
              description: Apple's value
              examples: [Auto-Renewable Subscription, Non-Consumable, Consumable, Non-Renewing Subscription]
            Ownership: {type: string, description: Apple's value, examples: [PURCHASED, FAMILY_SHARED, ASSIGNED]}
            OfferDiscountType:
              type: string
              description: Apple's value
              examples: [FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT, ONE_TIME]
            RevocationType:
              type: string
              description: Apple's value
              examples: [REFUND_FULL, REFUND_PRORATED, FAMILY_REVOKE, ASSIGNMENT_REVOKE]
            SubscriptionStatus:
              type: integer
              description: As in the App Store Server API; status_name is its name
              examples: [1, 2, 3, 4, 5]
            SubscriptionStatusName:
              type: string
              enum: [active, expired, billing_retry, grace_period, revoked]
              description: The name of status; left out for numbers that this version does not know
            AccessState: {type: string, enum: [new, active, inactive]}
            NextStep:
              type: string
              enum: [none, subscribe, fix_payment, ask_price_consent, save_offer, win_back_offer, promotional_offer]
              description: >-
                The next step that Apple's guidance recommends. none also if a period ended that was to renew and neither the
                renewal nor a reason is known: the App Store has probably charged the customer
            StateDetail:
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
            ExplanationRule:
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
            VerificationCode:
              type: string
              enum:
                - too_large
                - malformed_compact_form
                - bad_base64url
                - bad_json
                - unsupported_header
                - unsupported_algorithm
                - malformed_receipt
                - chain_length
                - certificate_malformed
                - untrusted_root
                - bad_chain_signature
                - bad_chain_rules
                - expired_or_not_yet_valid
                - missing_leaf_marker
                - missing_intermediate_marker
                - revoked
                - revocation_unknown
                - not_enrolled
                - bad_signature
                - wrong_app
                - wrong_environment
                - wrong_version
                - wrong_device
                - receipt_expired
              description: Why signed data or a receipt was refused
            Error:
              type: object
              required: [object, code, message, retryable, request_id]
              properties:
                object: {const: error}
                code: {type: string, description: Machine-readable code}
                message: {type: string, description: A text for people}
                retryable: {type: boolean, description: Whether the same request may succeed later}
                backoff_ms: {type: integer, description: Milliseconds to wait before a retry}
                param: {type: string, description: The parameter or member that is wrong}
                request_id:
                  type: string
                  description: The same as x-request-id; in a replayed response, the ID of the original request
            NextPage: {type: [string, "null"], description: Pass it as page; null on the last page}
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
                consumables: {type: array, items: {$ref: "#/components/schemas/ConsumableTotals"}}
                original_purchase: {$ref: "#/components/schemas/OriginalPurchase"}
                unverified:
                  type: array
                  items: {$ref: "#/components/schemas/UnverifiedText"}
                  description: "For an instant in the past: texts that do not count because they no longer verify"
                product_entitlements:
                  type: array
                  items: {$ref: "#/components/schemas/ProductEntitlements"}
                  description: "With a public key only: the entitlements of the products in the catalogue"
                app_account_token:
                  type: string
                  format: uuid
                  description: "With a public key whose customer token names one: the account token to buy with"
                periods:
                  type: array
                  items: {$ref: "#/components/schemas/PurchasePeriods"}
                  description: "With include=periods only: one for each subscription, and one for each other product"
                spend: {$ref: "#/components/schemas/Spend"}
            Spend:
              type: object
              description: >-
                With include=spend only: what the customer paid, as the App Store signed it, in each currency. Nothing is
                converted or estimated; purchases that others paid for and shared are excluded.
              required: [object, items, without_price, upgraded]
              properties:
                object: {const: spend}
                items:
                  type: array
                  items:
                    type: object
                    required: [currency, paid_milliunits, refunded_milliunits, payments]
                    properties:
                      currency: {type: string, description: ISO 4217}
                      paid_milliunits: {type: integer, description: Thousandths of the currency}
                      refunded_milliunits:
                        type: integer
                        description: >-
                          How much of it was refunded. A refund without a revocationPercentage, also a prorated one, counts as
                          the whole price
                      payments: {type: integer, description: How many transactions had a price above zero}
                without_price:
                  type: integer
                  description: >-
                    The number of transactions without a known price: receipts have no prices, and records that are older than
                    the storing of prices get one by counterfoil ledger rebuild
                upgraded:
                  type: integer
                  description: >-
                    The number of periods that ended with an upgrade. The App Store does not sign the refund for their remaining
                    time
            PurchasePeriods:
              type: object
              required: [object, product_id, omitted, items]
              properties:
                object: {const: purchase_periods}
                product_id: {type: string}
                omitted: {type: integer, description: The number of periods before the last 100}
                items:
                  type: array
                  items:
                    type: object
                    required: [kind, start_date]
                    properties:
                      kind:
                        enum: [paid, trial, refunded, upgraded, once, billing_grace_period, billing_retry]
                      start_date: {$ref: "#/components/schemas/Instant"}
                      end_date:
                        allOf: [{$ref: "#/components/schemas/Instant"}]
                        description: Omitted if the period has no end
            ProductEntitlements:
              type: object
              required: [product_id, entitlements]
              properties:
                product_id: {type: string}
                entitlements: {type: array, items: {type: string}}
                duration_ms:
                  type: integer
                  description: The minimum duration of a non-renewing subscription
            ResponseSigningKeyList:
              type: object
              required: [object, items]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/ResponseSigningKey"}}
            ResponseSigningKey:
              type: object
              required: [object, app, algorithm, public_key]
              properties:
                object: {const: answer_key}
                app: {type: string, description: The bundle identifier}
                algorithm: {const: Ed25519}
                public_key: {type: string, description: 32 bytes in base64}
            MergeRequest:
              type: object
              required: [from]
              additionalProperties: false
              properties:
                from: {type: string, description: The customer to merge}
                from_token: {type: string, description: The customer token of that customer; required with a public key}
            SessionRequest:
              type: object
              required: [app_transaction]
              additionalProperties: false
              properties:
                customer: {type: string, description: The device's previous identifier for its customer; ignored}
                app_transaction: {type: string, description: "AppTransaction.shared, as JWS"}
            Session:
              type: object
              required: [object, customer, token, expires_at]
              properties:
                object: {const: session}
                customer: {type: string, description: The server's identifier for the customer}
                token: {type: string, description: Send it as Counterfoil-Customer-Token}
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
                customers:
                  type: array
                  items: {type: string}
                  description: >-
                    The owners, without erased customers; left out with keys that are limited to one customer
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
                  description: Identifies a repeated request to the App Store
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
                has_more: {type: boolean, description: Whether there may be more than counted}
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
                since:
                  allOf: [{$ref: "#/components/schemas/Instant"}]
                  description: When the reason began; in_billing_retry as ended_at of the product
                until: {$ref: "#/components/schemas/Instant"}
                days_left: {type: integer, format: int64, description: Whole days that are left}
                reason: {$ref: "#/components/schemas/StateDetail"}
                will_renew: {type: boolean}
                eligible_win_back_offer_ids: {type: array, items: {type: string}}
                next_step: {$ref: "#/components/schemas/NextStep"}
                customers:
                  type: array
                  items: {type: string}
                  description: The owners; empty if the purchase has none, or only an erased one
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
                next_page: {type: string, description: Pass it as page the next time}
                has_more: {type: boolean, description: Whether there are more events now}
            Erasure:
              type: object
              required: [object, app, environment, erased_at, claims, grants, usage, purchases_kept]
              properties:
                object: {const: erasure}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                erased_at: {$ref: "#/components/schemas/Instant"}
                claims: {type: integer, description: Claims whose customer was removed}
                grants: {type: integer, description: Deleted grants}
                usage: {type: integer, description: Deleted usage reports}
                purchases_kept: {type: integer, description: Purchases that are kept without an owner}
            NewGrant:
              type: object
              required: [entitlement, reason, actor]
              additionalProperties: false
              properties:
                entitlement: {type: string, description: An entitlement of the configuration}
                until: {$ref: "#/components/schemas/RequestInstant"}
                reason: {type: string, minLength: 1, maxLength: 500, description: A text for people}
                actor: {type: string, minLength: 1, maxLength: 100, description: The team member}
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
                When the customer first got the app, according to a reported app transaction or receipt; with several Apple
                accounts the earliest date
              required: [object]
              properties:
                object: {const: original_purchase}
                application_version: {type: string, description: The build number on iOS; the short version on the Mac}
                purchase_date: {$ref: "#/components/schemas/Instant"}
                app_transaction_id: {type: string}
                is_test_data: {type: boolean, description: "Whether this is sandbox data, which is the same for everybody"}
            ExplainedOriginalPurchase:
              type: object
              description: The result of bought_before in the configuration, with its evidence
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
                verification_failure: {type: string, description: Why it no longer verifies}
                signed_data: {type: string, description: The exact signed text}
            UnverifiedText:
              type: object
              required: [object, original_transaction_id, code, message]
              properties:
                object: {const: unverified_text}
                notification_uuid: {type: string}
                original_transaction_id: {type: string}
                code:
                  anyOf:
                    - {$ref: "#/components/schemas/VerificationCode"}
                    - {type: string, enum: [storage_damaged]}
                message: {type: string}
            StateDetails:
              type: array
              items: {$ref: "#/components/schemas/StateDetail"}
              description: Further facts about the state
            Entitlement:
              type: object
              required: [object, key, is_active, state, details]
              properties:
                object: {const: entitlement}
                key: {type: string}
                is_active: {type: boolean}
                state: {$ref: "#/components/schemas/AccessState"}
                details: {$ref: "#/components/schemas/StateDetails"}
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
                details: {$ref: "#/components/schemas/StateDetails"}
                next_step: {$ref: "#/components/schemas/NextStep"}
            SubscriptionGroup:
              type: object
              required:
                [object, subscription_group_identifier, state, details, is_eligible_for_introductory_offer, next_step]
              properties:
                object: {const: subscription_group}
                subscription_group_identifier: {type: string}
                state: {$ref: "#/components/schemas/AccessState"}
                details: {$ref: "#/components/schemas/StateDetails"}
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
                details: {$ref: "#/components/schemas/StateDetails"}
                until: {$ref: "#/components/schemas/Instant"}
                ended_at:
                  allOf: [{$ref: "#/components/schemas/Instant"}]
                  description: >-
                    When access ended: after a failed payment the end of the grace period, or the end of the period if the
                    newest renewal info no longer names a grace period; the timeline has its notifications
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
                details: {$ref: "#/components/schemas/StateDetails"}
            ConsumableTotals:
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
                kind: {enum: [notification, event], description: "A notification of the App Store, or an event of the server"}
                sentence: {type: string, description: A text for people}
                type: {type: string, description: "The notificationType, or the event type"}
                subtype: {type: string}
                uuid: {type: string}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                signed_date: {$ref: "#/components/schemas/Instant"}
                received_at: {$ref: "#/components/schemas/Instant"}
                origin: {$ref: "#/components/schemas/Origin"}
                is_retry:
                  type: boolean
                  description: It arrived half an hour or more after it was signed, so earlier attempts failed
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
                grant: {type: string, description: The ID of the grant}
                entitlement: {type: string}
                reason: {type: string, description: Left out with keys that are limited to one customer}
                actor: {type: string, description: Left out with keys that are limited to one customer}
                verification_failure:
                  type: string
                  description: >-
                    Why the notification no longer verifies (storage_damaged if its stored text is damaged); its contents are
                    left out then
                notification:
                  allOf: [{$ref: "#/components/schemas/DecodedNotification"}]
                  description: With `expand` only
                from:
                  type: array
                  items: {type: string}
                  description: The previous owners; left out with keys that are limited to one customer
                to:
                  type: array
                  items: {type: string}
                  description: The new owners; left out with keys that are limited to one customer
            OwnershipChange:
              type: object
              required: [object, occurred_at, type, sentence, original_transaction_id]
              properties:
                object: {const: ownership_change}
                occurred_at: {$ref: "#/components/schemas/Instant"}
                type: {enum: [purchase.linked, purchase.transferred]}
                sentence: {type: string, description: A text for people}
                original_transaction_id: {type: string}
                from: {type: array, items: {type: string}, description: "The former owners, without erased customers"}
                to: {type: array, items: {type: string}, description: "The new owners, without erased customers"}
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
                rule: {$ref: "#/components/schemas/ExplanationRule"}
                sentence: {type: string, description: A text for people}
                product_id: {type: string}
                transaction_id: {type: string}
                changes:
                  type: array
                  items: {$ref: "#/components/schemas/OwnershipChange"}
                  description: The latest 100 changes of ownership
                unverified:
                  type: array
                  items: {$ref: "#/components/schemas/UnverifiedText"}
                  description: Texts of the listed facts that no longer verify; for an instant in the past, every such text
                grants:
                  type: array
                  items: {$ref: "#/components/schemas/Grant"}
                  description: Grants of the entitlement, at most the latest 500
                original_purchase: {$ref: "#/components/schemas/ExplainedOriginalPurchase"}
                facts_omitted: {type: integer, description: The number of facts that are not listed}
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
                signed_data: {type: string, description: The exact signed text}
            Verification:
              type: object
              required: [object, anchor, validated_at, revocation, certificates]
              properties:
                object: {const: verification}
                anchor: {type: string}
                validated_at: {$ref: "#/components/schemas/Instant"}
                revocation: {enum: [not_checked, good, unknown]}
                revocation_note: {type: string, description: Why no responder was queried although the policy requires it}
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
                      markers:
                        type: array
                        items: {type: string}
                        description: The object identifiers that Apple uses for the certificate's purpose
            RefusedTransaction:
              type: object
              required: [code]
              properties:
                id:
                  type: string
                  description: The transaction ID; of a text that failed verification, the one that it claims
                code:
                  anyOf:
                    - {$ref: "#/components/schemas/VerificationCode"}
                    - {type: string, enum: [receipt_already_in_use, unknown_subscription, other_apple_account]}
                param:
                  type: string
                  description: The member, such as signed_transactions[3]
            PurchaseReport:
              type: object
              description: >-
                At least one of signed_transactions, signed_renewals, app_transaction and receipt is required. An empty list of
                transactions means that nothing was bought.
              additionalProperties: false
              properties:
                signed_transactions:
                  type: array
                  maxItems: 500
                  items: {type: string}
                  description: The JWS of each transaction
                signed_renewals:
                  type: array
                  maxItems: 500
                  items: {type: string}
                  description: The JWS of each renewal info; used only if the subscription is known
                app_transaction:
                  type: string
                  description: The JWS of AppTransaction.shared; claims the Apple account
                receipt: {type: string, description: The app receipt in base64}
                restore:
                  type: boolean
                  description: >-
                    true: the customer asked to restore, so the restore policy applies to all purchases of the Apple account,
                    whatever their account tokens are. Omitted: it applies to the sent purchases, except those that were signed
                    with another customer's account token. false: no purchase moves
            HistoryRequestState:
              type: object
              required: [state]
              properties:
                state:
                  type: string
                  enum: [pending, refused, not_configured]
                  description: >-
                    pending: the App Store did not return the history, or a part of it failed verification; the server fetches
                    it later. refused: the App Store does not know the transaction. not_configured: the app has no API key.
                code: {type: string, description: The App Store's error}
            UsageReport:
              type: object
              description: At least one member besides transaction_id and product_id is required.
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
            ReprocessingResult:
              type: object
              required: [object, code, notifications, has_more, dry_run]
              properties:
                object: {const: reprocessing}
                code: {type: string}
                notifications: {type: integer}
                has_more: {type: boolean, description: Whether there are more}
                dry_run: {type: boolean}
            ClaimList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/Claim"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            Claim:
              type: object
              required: [object, original_transaction_id, owners, reason]
              properties:
                object: {const: claim}
                original_transaction_id: {type: string}
                product_id: {type: string}
                owners: {type: array, items: {type: string}, description: "Customers, without erased ones"}
                reason:
                  type: string
                  enum: [claimed, account_named, account_claimed, erased]
                  description: >-
                    claimed: by a restore, merge or transfer. account_named: by the purchase's account token. account_claimed:
                    other purchases of its Apple account were claimed. erased: the owner was erased
                since:
                  allOf: [{$ref: "#/components/schemas/Instant"}]
                  description: >-
                    When this customer got the purchase, or the owners if this customer is not one of them; left out if it was
                    theirs from the beginning
            ConsumptionRequestList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/ConsumptionRequest"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
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
                sent: {type: object, description: The sent request with Apple's names}
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
                  description: "For jws. Default: the customer's latest transaction"
                app_account_token: {type: string, format: uuid, description: For original}
                nonce: {type: string, format: uuid, description: "For original. Default: a new one"}
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
                  description: >-
                    A transaction ID or app transaction ID. Default: that of app_transaction, or the customer's latest
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
                customers: {type: array, items: {type: string}, description: "The owners, without erased customers"}
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
            Origin: {type: string, enum: [delivered, recovered, asked, app, imported], description: How the server received it}
            NotificationState: {type: string, enum: [pending, processed, failed]}
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
                  description: It arrived half an hour or more after it was signed, so earlier attempts failed
                state: {$ref: "#/components/schemas/NotificationState"}
                failure:
                  description: Why it could not be processed
                  anyOf:
                    - {$ref: "#/components/schemas/VerificationCode"}
                    - {type: string, enum: [storage_damaged]}
                is_other_text:
                  type: boolean
                  description: >-
                    Another text with this identifier was received earlier. Listed only with state=pending and state=failed; the
                    notification lists it in other_texts
            DecodedNotification:
              allOf:
                - {$ref: "#/components/schemas/Notification"}
              type: object
              required: [object, uuid, decoded, verifications, problems]
              properties:
                customer:
                  type: string
                  description: >-
                    Only if the notification is about an Apple account (RESCIND_CONSENT): the present customer of the account.
                    Left out if the account is not claimed and its purchases have no owner or several
                verifications:
                  type: object
                  description: The evidence of each part's verification
                  properties:
                    notification: {$ref: "#/components/schemas/Verification"}
                    transaction: {$ref: "#/components/schemas/Verification"}
                    renewal_info: {$ref: "#/components/schemas/Verification"}
                    app_transaction: {$ref: "#/components/schemas/Verification"}
                decoded:
                  type: object
                  description: The signed payloads, unchanged
                  properties:
                    notification: {type: object}
                    transaction: {type: object}
                    renewal_info: {type: object}
                    app_transaction: {type: object}
                other_texts:
                  type: array
                  description: Other texts that were signed with this identifier
                  items:
                    allOf:
                      - {$ref: "#/components/schemas/Notification"}
                    type: object
                    properties:
                      signed_data: {type: string, description: The exact text that was received}
                problems:
                  type: array
                  items:
                    type: object
                    required: [object, part, code, message]
                    properties:
                      object: {const: problem}
                      part: {type: string, enum: [notification, transaction, renewal_info, app_transaction]}
                      code:
                        anyOf:
                          - {$ref: "#/components/schemas/VerificationCode"}
                          - {type: string, enum: [storage_damaged]}
                      message: {type: string}
                signed_data: {type: string, description: The exact text that was received; left out where it is damaged on disk}
            MetricSeriesList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/MetricSeries"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            MetricSeries:
              type: object
              required: [object, metric, title, unit, values]
              properties:
                object: {const: metric_series}
                metric: {type: string, description: The name in /metrics; the sum over all labels}
                title: {type: string, description: A text for people}
                unit: {type: string, description: "Such as: a minute"}
                values:
                  type: array
                  maxItems: 60
                  description: One value a minute, oldest first; fewer in the first hour
                  items: {type: number}
            RefusedDeliveryList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/RefusedDelivery"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            RefusedDelivery:
              type: object
              required: [object, received_at, code, message, body]
              properties:
                object: {const: refusal}
                received_at: {$ref: "#/components/schemas/Instant"}
                code:
                  anyOf:
                    - {$ref: "#/components/schemas/VerificationCode"}
                    - {type: string, enum: [forbidden_network, no_receipt, rate_limited, version_1_off, wrong_secret]}
                message: {type: string}
                sender: {type: string, description: The IP address}
                body: {type: string, description: The first 64 KiB of the body}
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
                reason: {type: string, description: "For people: why it is not complete, and what to do"}
                complete_since: {$ref: "#/components/schemas/Instant"}
                complete_until: {$ref: "#/components/schemas/Instant"}
                read_until: {$ref: "#/components/schemas/Instant"}
                known_by:
                  type: object
                  required: [by, checked_at]
                  properties:
                    by: {type: string, enum: [notification_history]}
                    checked_at: {$ref: "#/components/schemas/Instant"}
                age_ms: {type: integer, description: The time since complete_until}
                missing:
                  type: object
                  required:
                    [open_windows, unverified, unverified_spans, failed_notifications, backlog, histories_waiting,
                     histories_retrying, histories_failed]
                  properties:
                    open_windows: {type: integer, description: Parts of the span that are still being read}
                    unverified:
                      type: integer
                      description: Items in the App Store's answers that failed verification, at most 10,000
                    unverified_spans: {type: integer, description: Spans with notifications that failed verification}
                    failed_notifications:
                      type: integer
                      description: Stored notifications whose contents failed verification
                    backlog: {type: integer, description: Notifications that are not processed yet}
                    histories_waiting:
                      type: integer
                      description: Transactions whose history is not fetched yet
                    histories_retrying:
                      type: integer
                      description: Those among them that failed and will be retried
                    histories_failed: {type: integer, description: Transactions that the App Store does not know}
                unverified_spans:
                  type: array
                  description: Spans with notifications that failed verification, earliest first; they are read again
                  items:
                    type: object
                    required: [from, to]
                    properties:
                      from: {$ref: "#/components/schemas/Instant"}
                      to: {$ref: "#/components/schemas/Instant"}
                unverified_items:
                  type: array
                  description: Items that failed verification, latest first
                  items:
                    type: object
                    required: [code, message, noticed_at]
                    properties:
                      notification: {type: string, description: The notificationUUID that it claims}
                      transaction: {type: string, description: The transaction whose history contained it}
                      code: {type: string}
                      message: {type: string}
                      noticed_at: {$ref: "#/components/schemas/Instant"}
                histories:
                  type: array
                  description: >-
                    Transactions whose history the App Store does not return: retried (retrying), or unknown to it (failed)
                  items:
                    type: object
                    required: [transaction, state, attempts]
                    properties:
                      transaction: {type: string}
                      state: {type: string, enum: [retrying, failed]}
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
                types: {type: array, items: {type: string}, description: Empty for all types}
                created_at: {$ref: "#/components/schemas/Instant"}
                finished_at: {$ref: "#/components/schemas/Instant"}
                windows: {type: integer}
                open_windows: {type: integer}
                pages: {type: integer}
                found: {type: integer, description: Notifications on these pages}
                new: {type: integer}
                duplicates: {type: integer}
                failed: {type: integer, description: Those that failed verification}
                failure: {type: string, description: "The last error, for people"}
                window_list:
                  type: array
                  items: {$ref: "#/components/schemas/RecoveryWindow"}
                  description: Only when a single recovery is retrieved, its first 200 windows; empty after it has ended
            RecoveryWindow:
              type: object
              required: [object, stage, from, to, only_failures, is_done]
              properties:
                object: {const: recovery_window}
                stage: {type: integer, description: Windows of one stage are read at the same time}
                from: {$ref: "#/components/schemas/Instant"}
                to: {$ref: "#/components/schemas/Instant"}
                type: {type: string, description: Only this type}
                only_failures: {type: boolean, description: Only notifications that the App Store could not deliver}
                is_done: {type: boolean}
            RecoveryPlan:
              type: object
              required: [object, app, environment, from, to, windows]
              properties:
                object: {const: recovery_plan}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                from: {$ref: "#/components/schemas/Instant"}
                to: {$ref: "#/components/schemas/Instant"}
                windows: {type: integer, description: How many windows would be fetched}
            SendAttemptList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/SendAttempt"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            SendAttempt:
              type: object
              required: [object, attempt_date, result]
              properties:
                object: {const: send_attempt}
                attempt_date: {$ref: "#/components/schemas/Instant"}
                result: {type: string, description: "Apple's value, such as SUCCESS or TIMED_OUT"}
            HealthComponentList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/HealthComponent"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            HealthComponent:
              type: object
              required: [object, name, status, detail]
              properties:
                object: {const: health_part}
                name: {type: string, description: "server, trust, ledger, inbox, app_store, recovery, webhooks or audit_log"}
                status: {type: string, enum: [ok, warning, failing]}
                detail: {type: string, description: A text for people}
            APIKeyList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/APIKey"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            APIKey:
              type: object
              required: [object, name, scopes, public]
              properties:
                object: {const: api_key}
                name: {type: string}
                scopes: {type: array, items: {type: string}}
                apps: {type: array, items: {type: string}, description: Absent for all}
                environments: {type: array, items: {type: string}, description: Absent for all}
                public: {type: boolean, description: Whether it is shipped in an app}
                idle_ms:
                  type: integer
                  format: int64
                  description: Time since it was last used; absent if not since the server started
            SettingList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/Setting"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            Setting:
              type: object
              required: [object, path, value, origin]
              properties:
                object: {const: setting}
                path: {type: string, description: "Such as listen.port or apps[0].bundle_id"}
                value: {type: string}
                origin: {type: string, description: "line 12 of the file, the name of a variable, --port, or default"}
            ConsoleSessionList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/ConsoleSession"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            ConsoleSession:
              type: object
              required: [object, id, key, address, started_at, last_used_at]
              properties:
                object: {const: console_session}
                id: {type: string, description: Eight digits that identify the session in the audit log}
                key: {type: string, description: The name of the key that it was opened with}
                address: {type: string}
                started_at: {$ref: "#/components/schemas/Instant"}
                last_used_at: {$ref: "#/components/schemas/Instant"}
            WebhookPayload: {type: string, enum: [counterfoil, compatible]}
            WebhookEvents:
              type: [array, "null"]
              minItems: 1
              maxItems: 100
              items: {type: string}
              description: >-
                Event types or patterns, such as subscription.renewed or subscription.*; null for all
            WebhookApps:
              type: [array, "null"]
              minItems: 1
              items: {type: string}
              description: Bundle IDs; null for all
            WebhookEnvironments:
              type: [array, "null"]
              minItems: 1
              items: {type: string, enum: [Production, Sandbox]}
              description: null for both
            NewWebhook:
              type: object
              required: [name, url]
              additionalProperties: false
              properties:
                name: {type: string, minLength: 1, maxLength: 100}
                url: {type: string, format: uri}
                events: {$ref: "#/components/schemas/WebhookEvents"}
                payload: {$ref: "#/components/schemas/WebhookPayload"}
                apps: {$ref: "#/components/schemas/WebhookApps"}
                environments: {$ref: "#/components/schemas/WebhookEnvironments"}
            WebhookChange:
              type: object
              minProperties: 1
              additionalProperties: false
              properties:
                url: {type: string, format: uri}
                events: {$ref: "#/components/schemas/WebhookEvents"}
                payload: {$ref: "#/components/schemas/WebhookPayload"}
                apps: {$ref: "#/components/schemas/WebhookApps"}
                environments: {$ref: "#/components/schemas/WebhookEnvironments"}
                enabled: {type: boolean}
                discard_backlog: {type: boolean, description: Discard pending events and start with new ones}
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
                is_configured: {type: boolean, description: Whether it is defined in the configuration file}
                enabled: {type: boolean}
                disabled_reason: {type: string, enum: [gone, failing, requested]}
                disabled_at: {$ref: "#/components/schemas/Instant"}
                failing_since: {$ref: "#/components/schemas/Instant"}
                paused_until:
                  allOf: [{$ref: "#/components/schemas/Instant"}]
                  description: >-
                    Present while the server pauses, because ten deliveries in a row failed; after the pause it sends one
                secrets:
                  type: array
                  items:
                    type: object
                    required: [object, fingerprint]
                    properties:
                      object: {const: webhook_secret}
                      fingerprint: {type: string}
                created_at: {$ref: "#/components/schemas/Instant"}
                activity: {$ref: "#/components/schemas/WebhookActivity"}
                secret: {type: string, description: Present only right after it was created}
            WebhookActivity:
              type: object
              description: Deliveries of the last 24 hours, and pending ones
              required: [object, since, delivered, failed, discarded, pending, events_behind, counted_up_to]
              properties:
                object: {const: webhook_activity}
                since: {$ref: "#/components/schemas/Instant"}
                delivered: {type: integer, description: Successful deliveries since then}
                failed: {type: integer, description: Deliveries that failed finally}
                discarded: {type: integer, description: "Deliveries without anything to send, or discarded on request"}
                pending: {type: integer, description: Deliveries that have not ended}
                oldest_pending_at: {$ref: "#/components/schemas/Instant"}
                events_behind:
                  type: integer
                  format: int64
                  description: Events without deliveries yet, whether or not the endpoint wants them
                counted_up_to: {type: integer, description: The largest count that is reported}
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
                  description: Whether the event is repeated after an older one that became known late
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
                      description: The exact body; left out when there is nothing left to send
                    request:
                      type: object
                      description: >-
                        The headers of the last attempt, or of an attempt that would be made now. Signatures are computed with
                        the present secrets. Omitted if the body is omitted.
                      required: [was_sent, headers]
                      properties:
                        was_sent: {type: boolean, description: Whether an attempt was made with these headers}
                        headers:
                          type: array
                          items:
                            type: object
                            required: [name, value]
                            properties:
                              name: {type: string}
                              value: {type: string}
            EventDeliveryList:
              type: object
              required: [object, items, next_page]
              properties:
                object: {const: list}
                items: {type: array, items: {$ref: "#/components/schemas/EventDelivery"}}
                next_page: {$ref: "#/components/schemas/NextPage"}
            EventDelivery:
              allOf:
                - {$ref: "#/components/schemas/WebhookDelivery"}
                - type: object
                  required: [endpoint, attempt_list]
                  properties:
                    endpoint: {type: string, description: The endpoint's name}
                    attempt_list: {type: array, items: {$ref: "#/components/schemas/WebhookAttempt"}}
            WebhookAttempt:
              type: object
              required: [object, at, duration_ms, answer]
              properties:
                object: {const: webhook_attempt}
                at: {$ref: "#/components/schemas/Instant"}
                duration_ms: {type: integer, format: int64}
                status: {type: integer, description: The HTTP status of the answer}
                error: {type: string, description: Why it failed}
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
                customers: {type: array, items: {type: string}, description: "The owners, without erased customers"}
            Decoded:
              type: object
              required: [object, kind, is_proven, message, checks, parts]
              properties:
                object: {const: decoded}
                name: {type: string, description: The member that contained this part}
                kind: {type: string, description: "The kind of data, such as transaction, app_receipt or webhook; or unknown"}
                is_proven: {type: boolean, description: Whether every check passed}
                code: {type: string, description: Why it was refused}
                message: {type: string, description: The verdict in a sentence}
                checks:
                  type: array
                  description: Every check, in order
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
                  description: The contents, with Apple's names. Do not trust them unless is_proven.
                parts: {type: array, items: {$ref: "#/components/schemas/Decoded"}}
                known:
                  type: object
                  description: The ledger's record of it
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
                      description: Differences from the newest text in the ledger; nested members are named by their path
                      items:
                        type: object
                        required: [member, kept, shown]
                        properties:
                          member: {type: string, description: Apple's name of the member}
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
                actor: {type: string, description: "The name of the key, or nobody for an unknown key"}
                session: {type: string, description: The console's session}
                address: {type: string}
                action: {type: string}
                target: {type: string}
                detail: {type: string, description: "The change in a few words, and the query of the request"}
                result: {type: string, description: The status and the code of a failure}
                digest: {type: string, description: SHA-256 over the entry and the digest of the one before it}
                is_chained:
                  type: boolean
                  description: False if this entry or the one before it was changed or removed
            WebhookReplay:
              type: object
              required: [object, deliveries, is_complete]
              properties:
                object: {const: webhook_replay}
                deliveries: {type: integer}
                is_complete: {type: boolean}
                after: {type: integer, format: int64, description: Pass it as after to continue}
            EventType:
              description: >-
                For a notificationType that this version does not know, the event type is notification. followed by that type in
                lower case. The same applies to unknown subtypes of DID_CHANGE_RENEWAL_PREF, PRICE_INCREASE, RENEWAL_EXTENSION
                and EXTERNAL_PURCHASE_TOKEN
              anyOf:
                - {$ref: "#/components/schemas/KnownEventType"}
                - {type: string, pattern: "^notification[.]"}
            KnownEventType:
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
              description: An event, as sent to webhooks and listed by GET /v1/events
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
                repeats: {type: string, description: "Only in a repetition: the event that it repeats"}
                sequence: {type: integer, format: int64, description: Increases in the order in which the server stored events}
                app: {type: string}
                environment: {$ref: "#/components/schemas/Environment"}
                customer:
                  type: string
                  description: >-
                    The owner of the purchase at that moment; in customer.consent_rescinded the customer of the Apple account,
                    left out if the account is not claimed and its purchases have no owner or several
                original_transaction_id: {type: string}
                occurred_at: {$ref: "#/components/schemas/Instant"}
                created_at: {$ref: "#/components/schemas/Instant"}
                notification: {$ref: "#/components/schemas/EventNotification"}
                status: {$ref: "#/components/schemas/SubscriptionStatus"}
                status_name: {$ref: "#/components/schemas/SubscriptionStatusName"}
                consumption_request_reason: {type: string, description: Apple's value}
                transaction: {$ref: "#/components/schemas/EventTransaction"}
                renewal: {$ref: "#/components/schemas/EventRenewal"}
                app_transaction:
                  type: object
                  description: "Only in customer.consent_rescinded: the app transaction, which names the Apple account"
                  required: [original_purchase_date, original_application_version, signed_date]
                  properties:
                    app_transaction_id: {type: string}
                    original_purchase_date: {$ref: "#/components/schemas/Instant"}
                    original_application_version: {type: string}
                    signed_date: {$ref: "#/components/schemas/Instant"}
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
                  description: Only in events that are not notifications
                  properties:
                    from: {type: array, items: {type: string}}
                    to: {type: array, items: {type: string}}
                    grant: {type: string}
                    entitlement: {type: string}
                    until: {$ref: "#/components/schemas/Instant"}
                    reason: {type: string, description: "The reason given for the grant, for people"}
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
              description: The signed transaction
              required: [transaction_id, original_transaction_id, product_id, type, purchase_date, ownership, signed_date]
              properties:
                transaction_id: {type: string}
                original_transaction_id: {type: string}
                previous_original_transaction_id:
                  type: string
                  description: "The subscription that this one continues after a migration to Advanced Commerce"
                product_id: {type: string}
                type: {$ref: "#/components/schemas/ProductType"}
                subscription_group_identifier: {type: string}
                purchase_date: {$ref: "#/components/schemas/Instant"}
                original_purchase_date: {$ref: "#/components/schemas/Instant"}
                expires_date: {$ref: "#/components/schemas/Instant"}
                quantity: {type: integer}
                reason: {type: string, description: Apple's value, examples: [PURCHASE, RENEWAL]}
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
              description: The signed renewal info
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
                      status:
                        type: string
                        description: >-
                          ok, draining (server), or the ledger's problem: storage_full, storage_read_only, storage_damaged,
                          storage_busy, storage_stalled (a commit has waited for the disk for five seconds, or the first one
                          since the start for half a second), storage_failed

        """#
}
