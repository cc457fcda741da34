// A schema is one line where it can be: it is read by programs.
// swift-format-ignore-file
extension APIDescription {
    static let customers = Subject(paths: #"""
          /v1/customers/{id}:
            get:
              operationId: getCustomer
              tags: [customers]
              summary: What a customer has; one who is not known has nothing
              description: "Needs the scope customers:read. `at` an instant in the past: what belonged to the customer then, by what was signed until then. Before anybody claimed a purchase it was theirs who claimed it first. More than 2,000 notifications are refused with 422 (too_many_texts)."
              parameters: [{$ref: "#/components/parameters/customer"}, {$ref: "#/components/parameters/app"}, {$ref: "#/components/parameters/environment"}, {$ref: "#/components/parameters/at"}]
              responses:
                "200":
                  description: The customer
                  content: {application/json: {schema: {$ref: "#/components/schemas/Customer"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/timeline:
            get:
              operationId: getTimeline
              tags: [customers]
              summary: What happened to a customer, newest first
              description: "Needs the scope customers:read. What the App Store told of purchases while they were the customer's, and when purchases came to them and went from them."
              parameters: [{$ref: "#/components/parameters/customer"}, {$ref: "#/components/parameters/app"}, {$ref: "#/components/parameters/environment"}, {$ref: "#/components/parameters/at"}, {$ref: "#/components/parameters/page"}, {$ref: "#/components/parameters/limit"}]
              responses:
                "200":
                  description: A page of the timeline
                  content: {application/json: {schema: {$ref: "#/components/schemas/TimelineEntryList"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/customers/{id}/entitlements/{key}/explain:
            get:
              operationId: explainEntitlement
              tags: [customers]
              summary: Why a customer has an entitlement, or has not; every fact is verified again
              description: "Needs the scope customers:read. What was proven is remembered for an hour. More than 2,000 signed texts are refused with 422 (too_many_texts)."
              parameters: [{$ref: "#/components/parameters/customer"}, {name: key, in: path, required: true, schema: {type: string, minLength: 1}}, {$ref: "#/components/parameters/app"}, {$ref: "#/components/parameters/environment"}, {$ref: "#/components/parameters/at"}, {$ref: "#/components/parameters/include"}]
              responses:
                "200":
                  description: The explanation
                  content: {application/json: {schema: {$ref: "#/components/schemas/Explanation"}}}
                default: {$ref: "#/components/responses/error"}

        """#, schemas: #"""
            Customer:
              type: object
              required: [object, id, app, environment, as_of, entitlements, subscriptions, groups, products, purchases, consumables]
              properties:
                object: {const: customer}
                id: {type: string}
                app: {type: string}
                environment: {type: string}
                as_of: {$ref: "#/components/schemas/Instant"}
                entitlements: {type: array, items: {$ref: "#/components/schemas/Entitlement"}}
                subscriptions: {type: array, items: {$ref: "#/components/schemas/Subscription"}}
                groups: {type: array, items: {$ref: "#/components/schemas/SubscriptionGroup"}}
                products: {type: array, items: {$ref: "#/components/schemas/Product"}}
                purchases: {type: array, items: {$ref: "#/components/schemas/Purchase"}}
                consumables: {type: array, items: {$ref: "#/components/schemas/ConsumableBalance"}}
                unverified: {type: array, items: {$ref: "#/components/schemas/UnverifiedText"}, description: "Of an instant in the past: texts that do not count because they do not verify now"}
            UnverifiedText:
              type: object
              required: [object, original_transaction_id, code, message]
              properties: {object: {const: unverified_text}, notification_uuid: {type: string}, original_transaction_id: {type: string}, code: {type: string, description: The reason as of a refusal}, message: {type: string}}
            Details: {type: array, items: {type: string}, description: What else is to be known of a state}
            Entitlement:
              type: object
              required: [object, key, is_active, state, details]
              properties: {object: {const: entitlement}, key: {type: string}, is_active: {type: boolean}, state: {type: string}, details: {$ref: "#/components/schemas/Details"}, until: {$ref: "#/components/schemas/Instant"}, will_renew: {type: boolean}, product_id: {type: string}, transaction_id: {type: string}, original_transaction_id: {type: string}}
            Subscription:
              type: object
              required: [object, original_transaction_id, transaction_id, product_id, status, has_access, purchase_date, is_in_billing_retry, ownership, details, next_step]
              properties:
                object: {const: subscription}
                original_transaction_id: {type: string}
                transaction_id: {type: string}
                product_id: {type: string}
                subscription_group_identifier: {type: string}
                status: {type: integer, description: "As in the App Store Server API: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked"}
                has_access: {type: boolean}
                access_until: {$ref: "#/components/schemas/Instant"}
                purchase_date: {$ref: "#/components/schemas/Instant"}
                expires_date: {$ref: "#/components/schemas/Instant"}
                will_renew: {type: boolean}
                auto_renew_product_id: {type: string}
                expiration_intent: {type: integer}
                is_in_billing_retry: {type: boolean}
                grace_period_expires_date: {$ref: "#/components/schemas/Instant"}
                ownership: {type: string}
                offer_type: {type: integer}
                offer_identifier: {type: string}
                offer_discount_type: {type: string}
                price_increase_status: {type: integer}
                revocation_date: {$ref: "#/components/schemas/Instant"}
                revocation_reason: {type: integer}
                revocation_type: {type: string}
                eligible_win_back_offer_ids: {type: array, items: {type: string}}
                details: {$ref: "#/components/schemas/Details"}
                next_step: {type: string, description: What Apple's guidance recommends}
            SubscriptionGroup:
              type: object
              required: [object, subscription_group_identifier, state, details, is_eligible_for_introductory_offer, next_step]
              properties: {object: {const: subscription_group}, subscription_group_identifier: {type: string}, state: {type: string}, details: {$ref: "#/components/schemas/Details"}, until: {$ref: "#/components/schemas/Instant"}, product_id: {type: string}, original_transaction_id: {type: string}, is_eligible_for_introductory_offer: {type: boolean}, next_step: {type: string}}
            Product:
              type: object
              required: [object, product_id, state, details]
              properties: {object: {const: product}, product_id: {type: string}, type: {type: string}, state: {type: string}, details: {$ref: "#/components/schemas/Details"}, until: {$ref: "#/components/schemas/Instant"}, ended_date: {$ref: "#/components/schemas/Instant"}, will_renew: {type: boolean}, transaction_id: {type: string}, original_transaction_id: {type: string}}
            Purchase:
              type: object
              required: [object, transaction_id, original_transaction_id, product_id, type, quantity, purchase_date, ownership, has_access, details]
              properties: {object: {const: purchase}, transaction_id: {type: string}, original_transaction_id: {type: string}, product_id: {type: string}, type: {type: string}, quantity: {type: integer}, purchase_date: {$ref: "#/components/schemas/Instant"}, ownership: {type: string}, has_access: {type: boolean}, end_date: {$ref: "#/components/schemas/Instant"}, offer_type: {type: integer}, offer_identifier: {type: string}, revocation_date: {$ref: "#/components/schemas/Instant"}, revocation_reason: {type: integer}, revocation_type: {type: string}, details: {$ref: "#/components/schemas/Details"}}
            ConsumableBalance:
              type: object
              required: [object, product_id, purchases, quantity, revoked_quantity]
              properties: {object: {const: consumable_balance}, product_id: {type: string}, purchases: {type: integer}, quantity: {type: integer}, revoked_quantity: {type: integer}}
            TimelineEntryList:
              type: object
              required: [object, items, next_page]
              properties: {object: {const: list}, items: {type: array, items: {$ref: "#/components/schemas/TimelineEntry"}}, next_page: {$ref: "#/components/schemas/NextPage"}}
            TimelineEntry:
              type: object
              required: [object, date, kind, sentence, type, original_transaction_id]
              properties:
                object: {const: timeline_entry}
                date: {$ref: "#/components/schemas/Instant"}
                kind: {enum: [notification, event], description: What the App Store told, or what happened here}
                sentence: {type: string, description: For people}
                type: {type: string, description: notificationType, or the name of our event}
                subtype: {type: string}
                uuid: {type: string}
                app: {type: string}
                environment: {type: string}
                signed_date: {$ref: "#/components/schemas/Instant"}
                received_at: {$ref: "#/components/schemas/Instant"}
                origin: {$ref: "#/components/schemas/Origin"}
                state: {$ref: "#/components/schemas/NotificationState"}
                failure: {type: string}
                original_transaction_id: {type: string}
                transaction_id: {type: string}
                product_id: {type: string}
                status: {type: integer}
                price: {type: integer, format: int64, description: In thousandths of the currency}
                currency: {type: string}
                verification_failure: {type: string, description: Why the notification does not verify now; what it says is not shown then}
                from: {type: array, items: {type: string}, description: "Who had the purchase before; not for keys that are limited to one customer"}
                to: {type: array, items: {type: string}, description: "Who has the purchase since; not for keys that are limited to one customer"}
            OwnershipChange:
              type: object
              required: [object, date, type, sentence, original_transaction_id]
              properties: {object: {const: ownership_change}, date: {$ref: "#/components/schemas/Instant"}, type: {enum: [purchase.linked, purchase.transferred]}, sentence: {type: string, description: For people}, original_transaction_id: {type: string}, from: {type: array, items: {type: string}}, to: {type: array, items: {type: string}}}
            Explanation:
              type: object
              required: [object, customer, entitlement, as_of, is_active, rule, sentence, changes, facts_omitted, facts]
              properties:
                object: {const: explanation}
                customer: {type: string}
                entitlement: {type: string}
                as_of: {$ref: "#/components/schemas/Instant"}
                is_active: {type: boolean}
                until: {$ref: "#/components/schemas/Instant"}
                rule: {type: string, description: "The rule that decided; transferred: the purchase belongs to another customer since"}
                sentence: {type: string, description: For people}
                product_id: {type: string}
                transaction_id: {type: string}
                changes: {type: array, items: {$ref: "#/components/schemas/OwnershipChange"}, description: "When the purchases came to the customer and went from them, at most the last 100"}
                unverified: {type: array, items: {$ref: "#/components/schemas/UnverifiedText"}, description: Texts that do not count because they do not verify now}
                facts_omitted: {type: integer, description: How many facts there are beside those listed}
                facts: {type: array, items: {$ref: "#/components/schemas/ExplainedFact"}}
            ExplainedFact:
              type: object
              required: [object, kind, identifier, original_transaction_id, product_id, signed_date, role]
              properties:
                object: {const: explained_fact}
                kind: {type: string, description: transaction or renewal_info}
                identifier: {type: string}
                original_transaction_id: {type: string}
                product_id: {type: string}
                signed_date: {$ref: "#/components/schemas/Instant"}
                role: {type: string, description: What came of it}
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
                certificates:
                  type: array
                  items: {type: object, required: [subject, issuer, serial_number, fingerprint, not_before, not_after], properties: {subject: {type: string}, issuer: {type: string}, serial_number: {type: string}, fingerprint: {type: string, description: SHA-256 of the DER encoding}, not_before: {$ref: "#/components/schemas/Instant"}, not_after: {$ref: "#/components/schemas/Instant"}}}

        """#)
}
