// A schema is one line where it can be: it is read by programs.
// swift-format-ignore-file
extension APIDescription {
    static let purchases = Subject(paths: #"""
          /v1/customers/{id}/purchases:
            post:
              operationId: reportPurchases
              tags: [customers]
              summary: What the app knows of its customer's purchases; answers the customer
              description: "Needs the scope customers:write. All that is sent must be of one app and one environment, which need not be named then. The App Store is asked for the rest of the Apple account's history. With a public key it is asked about one Apple account once a minute at most. What belongs to another customer is decided by the app's restore policy, and what the App Store signed for another account, by its account token, moves by `restore: true` alone; receipt_already_in_use says that it stays there."
              parameters: [{$ref: "#/components/parameters/customer"}, {$ref: "#/components/parameters/app"}, {$ref: "#/components/parameters/environment"}]
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/PurchaseReport"}}}}
              responses:
                "200":
                  description: The customer, as GET answers it. The member history is there only when the App Store could not be asked for everything.
                  content: {application/json: {schema: {allOf: [{$ref: "#/components/schemas/Customer"}, {type: object, properties: {history: {$ref: "#/components/schemas/History"}}}]}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/usage:
            post:
              operationId: reportUsage
              tags: [customers]
              summary: How much of a purchase was used, for the App Store's questions before refunds
              description: "Needs the scope customers:write. What is left out stays as it was reported before. Consent is for everything that the customer bought. With a public key customer_consented alone is taken: what was delivered and used decides about the customer's own refund."
              parameters: [{$ref: "#/components/parameters/customer"}, {$ref: "#/components/parameters/app"}, {$ref: "#/components/parameters/environment"}]
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Usage"}}}}
              responses:
                "204": {description: Noted}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/consumption:
            get:
              operationId: listConsumptionRequests
              tags: [customers]
              summary: The App Store's latest questions before refunds, and what became of them
              description: "Needs the scope customers:read."
              parameters: [{$ref: "#/components/parameters/customer"}, {$ref: "#/components/parameters/app"}, {$ref: "#/components/parameters/environment"}]
              responses:
                "200":
                  description: The hundred latest
                  content: {application/json: {schema: {type: object, required: [object, items, next_page], properties: {object: {const: list}, items: {type: array, items: {$ref: "#/components/schemas/ConsumptionRequest"}}, next_page: {$ref: "#/components/schemas/NextPage"}}}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/consumption/preview:
            get:
              operationId: previewConsumption
              tags: [customers]
              summary: Exactly what would be sent about a transaction, and why
              description: "Needs the scope customers:read."
              parameters: [{$ref: "#/components/parameters/customer"}, {$ref: "#/components/parameters/app"}, {$ref: "#/components/parameters/environment"}, {name: transaction_id, in: query, required: true, schema: {type: string, minLength: 1}}]
              responses:
                "200":
                  description: The preview
                  content: {application/json: {schema: {$ref: "#/components/schemas/ConsumptionPreview"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/offers/promotional:
            post:
              operationId: signPromotionalOffer
              tags: [offers]
              summary: Signs a promotional offer
              description: "Needs the scope offers:sign. Refused for customers who never had a subscription, unless forced. With a public key: only offers among the app's public_offers, tied to a transaction of the customer's or, in the original format, to the customer's identifier as account token."
              parameters: [{$ref: "#/components/parameters/customer"}, {$ref: "#/components/parameters/app"}, {$ref: "#/components/parameters/environment"}]
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/PromotionalOffer"}}}}
              responses:
                "200":
                  description: What the app hands to StoreKit
                  content: {application/json: {schema: {$ref: "#/components/schemas/OfferSignature"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/offers/introductory:
            post:
              operationId: signIntroductoryOffer
              tags: [offers]
              summary: Signs whether a customer gets the introductory offer of a product
              description: "Needs the scope offers:sign. The signature takes the place of the App Store's own judgement, so it is refused (not_eligible) where the Apple account, under whatever customer, has a subscription of the product's group or had an introductory offer in it, unless forced; unknown_group says that the server has to be told the group. With a public key the Apple account must be proven: by app_transaction, or because the customer has linked exactly one; the App Store is asked what it has bought."
              parameters: [{$ref: "#/components/parameters/customer"}, {$ref: "#/components/parameters/app"}, {$ref: "#/components/parameters/environment"}]
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/IntroductoryOffer"}}}}
              responses:
                "200":
                  description: What the app hands to StoreKit
                  content: {application/json: {schema: {$ref: "#/components/schemas/OfferSignature"}}}
                default: {$ref: "#/components/responses/error"}
          /verifyReceipt:
            get:
              operationId: verifyNoReceipt
              tags: [app store]
              summary: Answers the status 21000, as the App Store did to all but POST
              security: []
              responses:
                "200": {description: The status, content: {application/json: {schema: {type: object, required: [status], properties: {status: {const: 21000}}}}}}
                default: {$ref: "#/components/responses/error"}
            post:
              operationId: verifyReceipt
              tags: [app store]
              summary: The retired endpoint, for clients that cannot be changed; the shared secret is their key
              description: "Without shared_secrets in the configuration everybody gets the status 21004."
              security: []
              parameters: [{name: environment, in: query, schema: {type: string, enum: [Production, Sandbox]}, description: Which of the App Store's two endpoints this one stands for}]
              requestBody: {required: true, content: {application/json: {schema: {type: object, required: [receipt-data, password], properties: {receipt-data: {type: string, description: Base64}, password: {type: string}, exclude-old-transactions: {type: boolean}}}}}}
              responses:
                "200":
                  description: As the App Store answered; status says how it went
                  content: {application/json: {schema: {type: object, required: [status], properties: {status: {type: integer}, environment: {type: string}, receipt: {type: object}, latest_receipt: {type: string}, latest_receipt_info: {type: array, items: {type: object}}, pending_renewal_info: {type: array, items: {type: object}}}}}}
                default: {$ref: "#/components/responses/error"}

        """#, schemas: #"""
            PurchaseReport:
              type: object
              description: One of signed_transactions, app_transaction and receipt is there. An empty list says that nothing was bought.
              additionalProperties: false
              properties:
                signed_transactions: {type: array, maxItems: 500, items: {type: string}, description: JWS of StoreKit}
                app_transaction: {type: string, description: "The JWS of AppTransaction.shared; claims the Apple account"}
                receipt: {type: string, description: The app receipt in base64}
                restore: {type: boolean, description: "true: the customer asked to restore, so all that the Apple account has falls under the restore policy, whomever it was bought for. Left out: only what is sent does, unless it was signed with another customer's account token. false: nothing is taken from anybody"}
            History: {type: object, required: [state], properties: {state: {type: string, enum: [pending, refused, not_configured]}, code: {type: string, description: The App Store's error}}}
            Usage:
              type: object
              description: Something beside transaction_id and product_id is there.
              additionalProperties: false
              properties: {transaction_id: {type: string, minLength: 1, maxLength: 255}, product_id: {type: string, minLength: 1, maxLength: 255}, customer_consented: {type: boolean}, consumption_percentage: {type: integer, minimum: 0, maximum: 100000, description: In thousandths of a percent}, delivery_status: {type: string, enum: [DELIVERED, UNDELIVERED_QUALITY_ISSUE, UNDELIVERED_WRONG_ITEM, UNDELIVERED_SERVER_OUTAGE, UNDELIVERED_OTHER]}, sample_content_provided: {type: boolean}}
            ConsumptionRequest:
              type: object
              required: [object, transaction_id, original_transaction_id, state, requested_at, deadline, attempts]
              properties: {object: {const: consumption_request}, transaction_id: {type: string}, original_transaction_id: {type: string}, state: {type: string, enum: [pending, sent, refused, missed, overtaken]}, requested_at: {$ref: "#/components/schemas/Instant"}, deadline: {$ref: "#/components/schemas/Instant"}, attempts: {type: integer}, sent_at: {$ref: "#/components/schemas/Instant"}, sent: {type: object, description: With Apple's names}, answer: {type: string}, decision: {type: string, enum: [refunded, declined]}, decided_at: {$ref: "#/components/schemas/Instant"}}
            ConsumptionPreview:
              type: object
              required: [object, transaction_id, would_send, reasons]
              properties: {object: {const: consumption_preview}, transaction_id: {type: string}, would_send: {type: boolean}, obstacle: {type: string, enum: [no_policy, no_consent, not_purchased]}, request: {type: object}, reasons: {type: array, items: {type: object, required: [member, source], properties: {member: {type: string}, source: {type: string}, note: {type: string}}}}}
            PromotionalOffer:
              type: object
              additionalProperties: false
              required: [product_id, offer_id]
              properties: {product_id: {type: string, minLength: 1, maxLength: 255}, offer_id: {type: string, minLength: 1, maxLength: 255}, format: {type: string, enum: [jws, original], default: jws}, transaction_id: {type: string, minLength: 1, maxLength: 255, description: "For jws; the customer's last one if left out"}, app_account_token: {type: string, format: uuid, description: For original}, nonce: {type: string, format: uuid, description: "For original; a fresh one if left out"}, force: {type: boolean}}
            IntroductoryOffer:
              type: object
              additionalProperties: false
              required: [product_id, allow]
              properties: {product_id: {type: string, minLength: 1, maxLength: 255}, allow: {type: boolean}, transaction_id: {type: string, minLength: 1, maxLength: 255, description: "Of a purchase or of the app; the customer's last one, or that of app_transaction, if left out"}, app_transaction: {type: string, description: "The JWS of AppTransaction.shared"}, force: {type: boolean}}
            OfferSignature:
              type: object
              required: [object, kind, format, product_id]
              properties: {object: {const: offer_signature}, kind: {type: string, enum: [promotional, introductory]}, format: {type: string, enum: [jws, original]}, product_id: {type: string}, offer_id: {type: string}, allow: {type: boolean}, transaction_id: {type: string}, jws: {type: string}, key_id: {type: string}, nonce: {type: string}, timestamp: {type: integer}, app_account_token: {type: string}, signature: {type: string}}

        """#)
}
