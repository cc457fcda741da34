import AppStoreModels
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing
import WebConsole

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

extension `The description of the API` {
    /// A request for each operation. The customer $ID has a subscription with the transaction $TRANSACTION of the order
    /// $ORDER, which the notification $UUID reported.
    static let calls: [(operation: String, path: String, body: String?)] = [
        ("GET /health/live", "/health/live", nil), ("GET /health/ready", "/health/ready", nil),
        ("GET /metrics", "/metrics", nil), ("GET /openapi.yaml", "/openapi.yaml", nil),
        ("GET /v1/customers/{id}", "/v1/customers/$ID", nil),
        ("GET /v1/customers/{id}/timeline", "/v1/customers/$ID/timeline", nil),
        ("GET /v1/customers/{id}/claims", "/v1/customers/$ID/claims", nil),
        ("GET /v1/customers/{id}/timeline/{uuid}", "/v1/customers/$ID/timeline/$UUID", nil),
        (
            "GET /v1/customers/{id}/entitlements/{key}/explain",
            "/v1/customers/$ID/entitlements/premium/explain?include=signed_data", nil
        ),
        ("GET /v1/notifications", "/v1/notifications", nil),
        ("GET /v1/notifications/{id}", "/v1/notifications/$UUID?include=signed_data", nil),
        ("POST /v1/notifications/{id}/reprocess", "/v1/notifications/$UUID/reprocess", nil),
        ("POST /v1/notifications/reprocess", "/v1/notifications/reprocess", #"{"code":"none","dry_run":true}"#),
        ("POST /v1/notifications/reprocess", "/v1/notifications/reprocess", #"{"code":"none"}"#),
        ("POST /v1/notifications/{id}/attempts", "/v1/notifications/$UUID/attempts", nil),
        ("GET /v1/refused", "/v1/refused", nil),
        ("GET /v1/transactions/{id}", "/v1/transactions/$TRANSACTION", nil),
        ("GET /v1/orders/{id}", "/v1/orders/$ORDER", nil),
        ("POST /apple/notifications", "/apple/notifications", #"{"signedPayload":"$TEXT"}"#),
        ("POST /apple/retention", "/apple/retention", #"{"signedPayload":"$QUESTION"}"#),
        ("POST /v1/customers/{id}/purchases", "/v1/customers/$ID/purchases", #"{"signed_transactions":["$SIGNED"]}"#),
        (
            "POST /v1/customers/{id}/purchases/{transaction}/transfer",
            "/v1/customers/$ID/purchases/$TRANSACTION/transfer", #"{"reason":"a ticket"}"#
        ),
        ("POST /v1/customers/{id}/merge", "/v1/customers/$ID/merge", #"{"from":"otto"}"#),
        ("POST /v1/sessions", "/v1/sessions", #"{"customer":"otto","app_transaction":"$DOWNLOAD"}"#),
        (
            "POST /v1/customers/{id}/usage", "/v1/customers/$ID/usage",
            #"{"transaction_id":"$TRANSACTION","customer_consented":true,"consumption_percentage":25000}"#
        ),
        (
            "POST /v1/customers/{id}/grants", "/v1/customers/$ID/grants",
            #"{"entitlement":"premium","until":$LATER,"reason":"the outage of May","actor":"maria"}"#
        ),
        ("GET /v1/customers/{id}/grants", "/v1/customers/$ID/grants", nil),
        ("GET /v1/customers/{id}/entitlements/{key}", "/v1/customers/$ID/entitlements/premium", nil),
        ("GET /v1/subscriptions/{id}", "/v1/subscriptions/$TRANSACTION", nil),
        ("GET /v1/keys", "/v1/keys", nil),
        ("GET /v1/events/{id}/deliveries", "/v1/events/evt_$UUID/deliveries", nil),
        ("GET /v1/consumption", "/v1/consumption", nil), ("GET /v1/consumption", "/v1/consumption?state=pending", nil),
        ("GET /v1/events", "/v1/events", nil), ("GET /v1/purchases", "/v1/purchases?claimed=false", nil),
        ("GET /v1/segments", "/v1/segments", nil),
        ("GET /v1/segments/{name}", "/v1/segments/trial_ending", nil),
        ("GET /v1/segments/{name}", "/v1/segments/trial_ending?format=csv", nil),
        ("GET /v1/customers/{id}/refunds", "/v1/customers/$ID/refunds", nil),
        ("POST /v1/customers/{id}/refresh", "/v1/customers/$ID/refresh", nil),
        ("POST /v1/transactions/{id}/recover", "/v1/transactions/$TRANSACTION/recover", nil),
        (
            "POST /v1/subscriptions/{id}/extend", "/v1/subscriptions/$PAID/extend",
            #"{"days":3,"reason":"service_issue","request_identifier":"one"}"#
        ),
        (
            "POST /v1/extensions", "/v1/extensions",
            #"{"product_id":"com.example.premium.monthly","days":3,"reason":"service_issue","storefronts":["USA"],"request_identifier":"3f2b6c1e-0f5d-4a7b-9c3e-8d1a2b4c5d6e"}"#
        ),
        (
            "GET /v1/extensions/{id}",
            "/v1/extensions/3f2b6c1e-0f5d-4a7b-9c3e-8d1a2b4c5d6e?product_id=com.example.premium.monthly", nil
        ),
        (
            "POST /v1/customers/{id}/grants/{grant}/revoke", "/v1/customers/$ID/grants/$GRANT/revoke",
            #"{"reason":"a mistake","actor":"maria"}"#
        ),
        ("GET /v1/customers/{id}/consumption", "/v1/customers/$ID/consumption", nil),
        (
            "GET /v1/customers/{id}/consumption/preview",
            "/v1/customers/$ID/consumption/preview?transaction_id=$TRANSACTION", nil
        ),
        (
            "POST /v1/customers/{id}/offers/promotional", "/v1/customers/$ID/offers/promotional",
            #"{"product_id":"com.example.premium.monthly","offer_id":"save20"}"#
        ),
        (
            "POST /v1/customers/{id}/offers/promotional", "/v1/customers/$ID/offers/promotional",
            #"{"product_id":"com.example.premium.monthly","offer_id":"save20","format":"original"}"#
        ),
        (
            "POST /v1/customers/{id}/offers/introductory", "/v1/customers/$ID/offers/introductory",
            #"{"product_id":"com.example.premium.monthly","allow":false}"#
        ),
        ("GET /verifyReceipt", "/verifyReceipt", nil),
        ("POST /verifyReceipt", "/verifyReceipt", #"{"receipt-data":"bm90aGluZw==","password":"none"}"#),
        ("GET /v1/completeness", "/v1/completeness", nil),
        (
            "POST /v1/recoveries", "/v1/recoveries", #"{"from":$FROM,"to":$NOW,"types":["EXPIRED"],"dry_run":true}"#
        ),
        ("GET /v1/recoveries", "/v1/recoveries", nil), ("GET /v1/recoveries/{id}", "/v1/recoveries/$RECOVERY", nil),
        // `mine` gets no events of these requests. `backend` is in the configuration.
        (
            "POST /v1/webhooks", "/v1/webhooks",
            #"{"name":"mine","url":"https://93.184.216.34/","events":["app.extension_summarized"],"environments":["Sandbox"]}"#
        ),
        ("PATCH /v1/webhooks/{name}", "/v1/webhooks/mine", #"{"add_secret":true,"enabled":false}"#),
        ("GET /v1/webhooks", "/v1/webhooks", nil), ("GET /v1/webhooks/{name}", "/v1/webhooks/backend", nil),
        ("POST /v1/webhooks/{name}/test", "/v1/webhooks/backend/test", nil),
        (
            "POST /v1/webhooks/{name}/replay", "/v1/webhooks/backend/replay",
            #"{"from":$FROM,"to":$LATER,"dry_run":true}"#
        ),
        ("GET /v1/webhooks/{name}/deliveries", "/v1/webhooks/backend/deliveries", nil),
        ("GET /v1/webhooks/{name}/deliveries/{id}", "/v1/webhooks/backend/deliveries/$DELIVERY", nil),
        ("GET /v1/search", "/v1/search?q=$TRANSACTION", nil), ("GET /v1/audit", "/v1/audit", nil),
        ("GET /v1/audit", "/v1/audit?format=csv", nil), ("GET /v1/operations/metrics", "/v1/operations/metrics", nil),
        ("GET /v1/operations/health", "/v1/operations/health", nil),
        ("GET /v1/operations/keys", "/v1/operations/keys", nil),
        ("GET /v1/operations/configuration", "/v1/operations/configuration", nil),
        ("GET /v1/operations/sessions", "/v1/operations/sessions", nil),
        ("DELETE /v1/operations/sessions/{id}", "/v1/operations/sessions/$SESSION", nil),
        ("POST /v1/decode", "/v1/decode", "$TEXT"),
        ("DELETE /v1/webhooks/{name}", "/v1/webhooks/mine", nil),
        ("DELETE /v1/customers/{id}", "/v1/customers/$ID", nil),
    ]

    static let mine =
        #"{"name":"mine","url":"https://93.184.216.34/","events":["app.extension_summarized"]}"#

    /// The schema of an operation's request body, or nil if the operation has none in JSON.
    static func body(of operation: [String: Any], _ document: [String: Any]) throws -> [String: Any]? {
        let content = (operation["requestBody"] as? Object)?["content"] as? Object
        let schema = (content?["application/json"] as? Object)?["schema"] as? Object
        return try (schema?["$ref"] as? String).map { try DescribedAPI.resolve($0, document) } ?? schema
    }
}
