import AppStoreModels
import AppStoreServer
import Foundation
import FuzzSupport
import StoreSimulator

extension Seeds {
    /// Unsigned input of the simulator: catalogues, API requests, OCSP requests and commands.
    static func simulator() -> [Seed] {
        catalogues() + requests() + queries() + commands()
    }

    private static func catalogues() -> [Seed] {
        [
            seed(
                "catalogues", "everything.yaml",
                """
                storefronts: [USA, DEU, {code: ISL, id: "143558", currency: USD}]
                groups:
                  - id: premium
                    name: Premium
                    subscriptions:
                      - id: monthly
                        period: P1M
                        price: 9.99
                        prices: {DEU: 10.99}
                        familyShareable: true
                        introductoryOffer: {mode: free, period: P1W}
                        offers:
                          - {id: save, type: promotional, mode: payAsYouGo, period: P1M, periods: 3, price: 7.99}
                          - {id: WELCOME, type: offerCode, mode: free, period: P1M, eligibility: [new, expired]}
                          - {id: back, type: winBack, mode: payUpFront, period: P3M, price: 9, winBack: {paidMonths: 1}}
                      - id: yearly
                        level: 2
                        period: P1Y
                        price: 99.99
                        billingPlans: [{type: upfront, price: 99}, {type: monthly, price: 8.99, commitment: 107.88}]
                products:
                  - {id: coins, type: consumable, price: 0.99, offers: [{id: GIFT, price: 0}]}
                  - {id: unlock, type: nonConsumable, price: 4.99, familyShareable: true}
                  - {id: pass, type: nonRenewing, price: "1000000000", onSale: false, advancedCommerce: true}
                """),
            seed("catalogues", "least.yaml", "products: [{id: a, type: consumable, price: 1}]"),
            seed(
                "catalogues", "configuration.storekit",
                """
                {"identifier":"A","nonRenewingSubscriptions":[],"products":[{"displayPrice":"0.99","familyShareable":\
                false,"internalID":"B","localizations":[],"productID":"coins","referenceName":"c","type":"Consumable"}\
                ],"settings":{"_storefront":"USA","_timeRate":0,"_billingGracePeriodEnabled":true},\
                "subscriptionGroups":[{"id":"C","localizations":[],"name":"G","subscriptions":[{"adHocOffers":[{\
                "displayPrice":"1","internalID":"D","numberOfPeriods":2,"offerID":"o","paymentMode":"payAsYouGo",\
                "subscriptionPeriod":"P1M"}],"codeOffers":[],"displayPrice":"9.99","familyShareable":true,\
                "groupNumber":1,"internalID":"E","introductoryOffer":{"internalID":"F","paymentMode":"free",\
                "subscriptionPeriod":"P1W"},"productID":"monthly","recurringSubscriptionPeriod":"P1M",\
                "subscriptionGroupID":"C","type":"RecurringSubscription"}]}],"version":{"major":3,"minor":0}}
                """),
        ]
    }

    /// A request to each endpoint in both environments, with existing identifiers, and with valid bodies for some
    /// endpoints.
    private static func requests() -> [Seed] {
        let stores = [SimulatedStores.new(.production), SimulatedStores.new(.sandbox)]
        let uuid = "7b1f2c0e-0a4b-4f0e-9b7a-0d6a5c1e2f30"
        let milliseconds = Int64(SimulatedStores.later.timeIntervalSince1970) * 1000
        let bodies = [
            "sendConsumption":
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#,
            "setAppAccountToken": #"{"appAccountToken":"\#(uuid)"}"#,
            "extendRenewalDate": #"{"extendByDays":7,"extendReasonCode":1,"requestIdentifier":"a"}"#,
            "extendRenewalDates":
                #"{"extendByDays":7,"extendReasonCode":1,"requestIdentifier":"\#(uuid)","#
                + #""productId":"com.example.premium.monthly"}"#,
            "notificationHistory": #"{"startDate":\#(milliseconds - 86_400_000),"endDate":\#(milliseconds)}"#,
        ]
        let other = #"{"header":"H","body":"B","requestInfo":{"requestReferenceId":"\#(uuid)"},"operation":"O"}"#
        var seeds: [Seed] = []
        for (index, endpoint) in AppStoreEndpoint.all.enumerated() {
            for (number, store) in stores.enumerated() {
                let transactions = store.customers["anna"]?.transactions ?? []
                let id = transactions.first { store.transactions[$0]?.isSubscription == true } ?? transactions.first
                let path = endpoint.parameters.map { _ in id ?? uuid }.joined(separator: "/")
                let body = endpoint.method == "GET" ? "" : bodies[endpoint.name] ?? other
                let text = "\(path)\n\(number == 0 ? "" : "limit=5")\n\(body)"
                let bytes = [UInt8(index), UInt8(number)] + Array(text.utf8)
                seeds.append(seed("api-requests", "\(endpoint.name)-\(number)", bytes))
            }
        }
        seeds += advancedCommerce(stores)
        let claims =
            #"{"iss":"issuer","bid":"com.example.app","aud":"appstoreconnect-v1","iat":1760000000,"exp":1760003600}"#
        seeds.append(seed("api-requests", "token", Array("\0\0\n\n\(claims)".utf8)))
        let image: [UInt8] = [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1,
            8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xDE, 0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
        ]
        seeds.append(seed("api-requests", "image", Array("\0\0\n\n".utf8) + image))
        return seeds
    }

    /// Advanced Commerce requests about the items of the customer dora.
    private static func advancedCommerce(_ stores: [Store]) -> [Seed] {
        let price = #""items":[{"SKU":"tv","price":6000}],"currency":"USD""#
        let metadata =
            #""items":[{"currentSKU":"tv","SKU":"tv4k","effective":"NEXT_BILL_CYCLE"}],"taxCode":"C003-00-3""#
        let refund =
            #""refundRiskingPreference":false,"items":[{"SKU":"tv","refundReason":"LEGAL","refundType":"CUSTOM","#
            + #""refundAmount":1000,"revoke":false}]"#
        let bodies: [(endpoint: AppStoreEndpoint, fields: String)] = [
            (.cancelSubscription, #""storefront":"USA""#), (.changeSubscriptionPrice, price),
            (.changeSubscriptionMetadata, metadata), (.requestRefund, refund),
            (.revokeSubscription, #""refundReason":"OTHER","refundRiskingPreference":false,"refundType":"PRORATED""#),
        ]
        var seeds: [Seed] = []
        for (endpoint, fields) in bodies {
            for (number, store) in stores.enumerated() {
                let id = store.customers["dora"]?.subscriptions.first ?? ""
                let body =
                    #"{"requestInfo":{"requestReferenceId":"00000000-0000-4000-8000-000000000003"},\#(fields)}"#
                let index = AppStoreEndpoint.all.firstIndex(of: endpoint) ?? 0
                let bytes = [UInt8(index), UInt8(number)] + Array("\(id)\n\n\(body)".utf8)
                seeds.append(seed("api-requests", "\(endpoint.name)-items-\(number)", bytes))
            }
        }
        return seeds
    }

    private static func queries() -> [Seed] {
        // The harness creates a new authority in each run, so the seeds are changes to its requests. One seed is a
        // request to another authority.
        let foreign = (try? OCSPParties().question.encoded()).map { seed("ocsp-queries", "foreign", $0) }
        return [
            seed("ocsp-queries", "leaf", [0, 255, 0]), seed("ocsp-queries", "intermediate", [1, 0, 0x30]),
            seed("ocsp-queries", "leaf-changed", [2, 30, 7, 40, 9]), seed("ocsp-queries", "path", Array("MAA%3D".utf8)),
        ] + (foreign.map { [$0] } ?? [])
    }

    private static func commands() -> [Seed] {
        let lines = [
            #"{"createCustomer":{"customer":"carl","storefront":"USA"}}"#,
            #"{"purchase":{"customer":"anna","product":"com.example.premium.monthly","introductory":false}}"#,
            #"{"cancel":{"customer":"anna"}}"#, #"{"failBilling":{"customer":"anna"}}"#,
            #"{"requestRefund":{"customer":"anna","inApp":true}}"#,
            #"{"approveRefund":{"customer":"anna","percentage":50000}}"#,
            #"{"increasePrice":{"product":"com.example.premium.monthly","price":12990,"consent":true}}"#,
            #"{"notificationType":"DID_RENEW","customer":"anna"}"#, #"{"notificationType":"REFUND"}"#,
        ]
        let steps: [UInt8] = [
            0, 1, 0, 0, 0, 0, 0, 0, 0xFF, 5, 0, 0xE5, 20, 0, 0, 6, 0, 0xFF, 24, 0, 0, 0, 0, 27, 0, 0, 7, 0, 1, 0xEF,
        ]
        return [
            seed("commands", "production", "0" + lines.joined(separator: "\n")),
            seed("commands", "sandbox", "1" + lines.reversed().joined(separator: "\n")),
            seed("commands", "bytes", steps), seed("commands", "bytes-sandbox", [1] + steps.dropFirst()),
        ]
    }
}
