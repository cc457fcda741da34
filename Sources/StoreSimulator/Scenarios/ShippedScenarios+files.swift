// Made by Scripts/embed from the folder Scenarios. Change those files, not this one.
// swift-format-ignore-file

extension ShippedScenarios {
    /// The text of each file by its name, without .yaml.
    static let files: [String: String] = [
        "account-token": #"""
            name: A purchase outside the app gets an account token later
            steps:
              - purchase: {customer: anna, product: basic.monthly, appAccountToken: null}
              - expect:
                  notifications: [{type: SUBSCRIBED.INITIAL_BUY, transaction: {appAccountToken: null}}]
              - setAppAccountToken: {customer: anna, appAccountToken: 2b4e6f80-1c3d-4e5f-8a9b-0c1d2e3f4a5b}
              - expect: {notifications: []}
              - advance: 1 month
              - expect:
                  notifications:
                    - type: DID_RENEW
                      transaction: {appAccountToken: 2b4e6f80-1c3d-4e5f-8a9b-0c1d2e3f4a5b}
                      renewalInfo: {appAccountToken: 2b4e6f80-1c3d-4e5f-8a9b-0c1d2e3f4a5b}

            """#,
        "advanced-commerce-subscription": #"""
            name: A subscription of Advanced Commerce begins with an item, renews and ends
            steps:
              - subscribeAdvancedCommerce:
                  customer: anna
                  product: advanced.subscription
                  request:
                    operation: CREATE_SUBSCRIPTION
                    version: "1"
                    requestInfo: {requestReferenceId: 7f1d2c3b-4a5e-4f60-8172-93a4b5c6d7e8}
                    currency: USD
                    descriptors: {displayName: News, description: Every newspaper}
                    items: [{SKU: daily, displayName: The Daily, description: Seven days a week, price: 4990}]
                    period: P1M
                    taxCode: C003-00-2
              - expect:
                  notifications: [{type: SUBSCRIBED.INITIAL_BUY, status: 1, transaction: {price: 4990, productId: com.example.advanced.subscription}}]
                  anna: {status: active, access: true}
              - advance: 1 month
              - expect:
                  notifications: [{type: DID_RENEW, transaction: {price: 4990, transactionReason: RENEWAL}}]
              - cancel: {customer: anna}
              - advance: 1 month
              - expect:
                  notifications: [DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED, EXPIRED.VOLUNTARY]
                  anna: {status: expired, access: false}

            """#,
        "advanced-commerce": #"""
            name: The notifications of the Advanced Commerce API
            steps:
              - trigger: METADATA_UPDATE
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY, {type: METADATA_UPDATE, status: 1}]
              - trigger: PRICE_CHANGE
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY, {type: PRICE_CHANGE, status: 1, transaction: {transactionReason: PURCHASE}}]
              - trigger: MIGRATION
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY, {type: MIGRATION, status: 1, renewalInfo: {autoRenewStatus: 1}}]

            """#,
        "ask-to-buy": #"""
            name: Purchases wait for a parent or for new terms, and a device without a network cannot buy
            steps:
              - askToBuy: {customer: anna}
              - purchase: {customer: anna, product: coins.100, device: phone}
              - purchase: {customer: anna, product: unlock, device: phone}
              - expect:
                  notifications: []
                  anna: {purchases: []}
              - declinePurchase: {customer: anna, product: coins.100}
              - advance: 2 days
              - approvePurchase: {customer: anna}
              - expect:
                  notifications: [ONE_TIME_CHARGE]
                  anna: {purchases: [unlock]}
              - refuse: {approvePurchase: {customer: anna}, code: impossible_transition}
              - stopAskingToBuy: {customer: anna}
              - planPurchase: {customer: anna, device: phone, result: interrupted}
              - purchase: {customer: anna, product: coins.100, device: phone}
              - expect:
                  anna: {purchases: [unlock]}
              - approvePurchase: {customer: anna}
              - goOffline: {customer: anna, device: phone}
              - refuse: {purchase: {customer: anna, product: coins.100, device: phone}, code: device_offline}
              - goOnline: {customer: anna, device: phone}
              - purchase: {customer: anna, product: coins.100, device: phone}
              - expect:
                  notifications: [ONE_TIME_CHARGE, ONE_TIME_CHARGE]
                  anna: {purchases: [unlock, coins.100, coins.100]}

            """#,
        "billing-by-subscription": #"""
            name: Billing fails for one of two subscriptions, and an upgrade ends the billing retry
            description: Finds servers that apply the failure to all subscriptions of the customer, or that still report it after the upgrade.
            steps:
              - purchase: {customer: anna, product: basic.monthly, introductory: false}
              - purchase: {customer: anna, product: news.monthly, introductory: false}
              - failBilling: {customer: anna, subscription: basic.monthly}
              - advance: 1 month
              - expect:
                  anna: {subscription: basic.monthly, status: billing_retry, access: false}
              - expect:
                  anna: {subscription: news.monthly, status: active, access: true}
              - advance: 2 days
              - purchase: {customer: anna, product: premium.monthly}
              - expect:
                  anna: {subscription: premium.monthly, status: active, access: true, expirationIntent: null}
              # A failure for lack of funds: an attempt within 60 days succeeds.
              - purchase: {customer: ben, product: basic.monthly, introductory: false}
              - failBilling: {customer: ben, recovers: true}
              - advance: 1 month
              - expect:
                  ben: {status: billing_retry}
              - advance: 60 days
              - expect:
                  ben: {status: active, access: true}

            """#,
        "billing-retry-cancelled": #"""
            name: The customer cancels while the App Store retries the charge
            settings: {production: {gracePeriod: sixteenDays}}
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - failBilling: {customer: anna}
              - advance: 1 month
              - expect: {notifications: [SUBSCRIBED.INITIAL_BUY, DID_FAIL_TO_RENEW.GRACE_PERIOD]}
              - cancel: {customer: anna}
              - expect:
                  notifications: [DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED, {type: EXPIRED.VOLUNTARY, status: 2}]
                  anna: {status: expired, access: false, autoRenew: false, expirationIntent: 1}

            """#,
        "billing-retry-lapsed": #"""
            name: A renewal fails without a grace period and is never paid
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - failBilling: {customer: anna}
              - advance: 1 month
              - advance: 59 days
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY, DID_FAIL_TO_RENEW]
                  anna: {status: billing_retry, access: false}
              - advance: 1 day
              - expect:
                  notifications: [{type: EXPIRED.BILLING_RETRY, status: 2, renewalInfo: {expirationIntent: 2, autoRenewStatus: 0}}]
                  anna: {status: expired}

            """#,
        "billing-retry-recovered": #"""
            name: A renewal fails without a grace period and is paid later
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - failBilling: {customer: anna}
              - advance: 1 month
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - {type: DID_FAIL_TO_RENEW, status: 3, renewalInfo: {isInBillingRetryPeriod: true, expirationIntent: 2, autoRenewStatus: 1}}
                  anna: {status: billing_retry, access: false}
              - advance: 20 days
              - fixBilling: {customer: anna}
              - expect:
                  notifications: [{type: DID_RENEW.BILLING_RECOVERY, status: 1, renewalInfo: {expirationIntent: null}}]
                  anna: {status: active, access: true}

            """#,
        "consent-withdrawn": #"""
            name: A parent withdraws the consent to a child's use of the app
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - rescindConsent: {customer: anna}
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY, {type: RESCIND_CONSENT, customer: anna}]
                  anna: {status: active}

            """#,
        "consumable": #"""
            name: A consumable is bought with quantity 3, and refunded
            steps:
              - purchase: {customer: anna, product: coins.100, quantity: 3}
              - expect:
                  notifications:
                    - {type: ONE_TIME_CHARGE, status: null, renewalInfo: null, transaction: {quantity: 3, price: 2970, type: Consumable, expiresDate: null}}
                  anna: {purchases: [coins.100], status: none}
              - finish: {customer: anna}
              - requestRefund: {customer: anna, reason: FULFILLMENT_ISSUE}
              - approveRefund: {customer: anna}
              - expect:
                  notifications: [CONSUMPTION_REQUEST, {type: REFUND, renewalInfo: null, transaction: {revocationReason: 1}}]
                  anna: {purchases: []}

            """#,
        "consumption-answer": #"""
            name: The developer's answer to a consumption request decides about the refund
            settings: {production: {refunds: automatic}}
            steps:
              - purchase: {customer: anna, product: coins.100}
              - requestRefund: {customer: anna, reason: UNSATISFIED_WITH_PURCHASE}
              - expect:
                  notifications:
                    - ONE_TIME_CHARGE
                    - {type: CONSUMPTION_REQUEST, consumptionRequestReason: UNSATISFIED_WITH_PURCHASE}
              - answerConsumptionRequest: {customer: anna, preference: DECLINE}
              - expect:
                  notifications: [REFUND_DECLINED]
                  anna: {purchases: [coins.100]}
              - purchase: {customer: ben, product: coins.100}
              - requestRefund: {customer: ben}
              - answerConsumptionRequest: {customer: ben, preference: GRANT_PRORATED, percentage: 25000}
              - expect:
                  notifications:
                    - ONE_TIME_CHARGE
                    - CONSUMPTION_REQUEST
                    - {type: REFUND, transaction: {revocationType: REFUND_PRORATED, revocationPercentage: 75000}}
              - purchase: {customer: clara, product: unlock}
              - requestRefund: {customer: clara}
              - advance: 11 hours
              - expect: {notifications: [ONE_TIME_CHARGE, CONSUMPTION_REQUEST]}
              - advance: 1 hour
              - expect:
                  notifications: [{type: REFUND, transaction: {revocationType: REFUND_FULL}}]
                  clara: {purchases: []}

            """#,
        "consumption-request": #"""
            name: In the sandbox the text of the refund request decides about the refund
            environment: sandbox
            steps:
              - purchase: {customer: anna, product: coins.100}
              - requestRefund: {customer: anna, note: DECLINE}
              - advance: 10 minutes
              - expect:
                  notifications: [ONE_TIME_CHARGE, CONSUMPTION_REQUEST, REFUND_DECLINED]
                  anna: {purchases: [coins.100]}
              - purchase: {customer: ben, product: premium.monthly, introductory: false}
              - requestRefund: {customer: ben, note: GRANT_PRORATED}
              - advance: 10 minutes
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY, CONSUMPTION_REQUEST, {type: REFUND, transaction: {revocationType: REFUND_PRORATED}}]
                  ben: {status: revoked}

            """#,
        "crossgrade-equal-length": #"""
            name: A crossgrade to a product of equal length takes effect at once
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - advance: 5 days
              - purchase: {customer: anna, product: plus.monthly}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - {type: DID_CHANGE_RENEWAL_PREF.UPGRADE, transaction: {productId: plus.monthly, transactionReason: PURCHASE}}
                  anna: {product: plus.monthly, renewsInto: plus.monthly}

            """#,
        "crossgrade-other-length": #"""
            name: A crossgrade to a product of another length takes effect at the next renewal
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - purchase: {customer: anna, product: premium.yearly}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - {type: DID_CHANGE_RENEWAL_PREF.DOWNGRADE, renewalInfo: {autoRenewProductId: premium.yearly, renewalPrice: 99990}}
                  anna: {product: premium.monthly, renewsInto: premium.yearly}
              - advance: 1 month
              - expect:
                  notifications: [{type: DID_RENEW, transaction: {productId: premium.yearly, price: 99990}}]
                  anna: {product: premium.yearly}

            """#,
        "disorder": #"""
            name: Notifications and requests are unreliable
            description: >-
              Notifications are lost, duplicated and reordered, requests fail, and pages change while they are read. Finds servers that
              rely on the order of arrival, or do not fetch missed notifications.
            disorder: high
            settings: {production: {renewalLead: 0}}
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - purchase: {customer: ben, product: basic.monthly, introductory: false}
              - purchase: {customer: carol, product: coins.100, quantity: 3}
              - advance: 10 days
              - cancel: {customer: anna}
              - resume: {customer: anna}
              - purchase: {customer: ben, product: premium.monthly, introductory: false}
              - approveRefund: {customer: carol}
              - reverseRefund: {customer: carol}
              - expect:
                  anna: {status: active, autoRenew: true}
                  ben: {status: active, product: premium.monthly}
                  carol: {purchases: [coins.100]}
              - failBilling: {customer: anna}
              - advance: 1 month
              - expect:
                  anna: {status: billing_retry, access: false}
                  ben: {status: active}
              - fixBilling: {customer: anna}
              - approveRefund: {customer: ben}
              - advance: 1 day
              - expect:
                  anna: {status: active}
                  ben: {status: revoked}

            """#,
        "downgrade-reverted": #"""
            name: A downgrade is cancelled before it takes effect
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - purchase: {customer: anna, product: basic.monthly}
              - expect: {notifications: [SUBSCRIBED.INITIAL_BUY, DID_CHANGE_RENEWAL_PREF.DOWNGRADE]}
              - purchase: {customer: anna, product: premium.monthly}
              - expect:
                  notifications:
                    - type: DID_CHANGE_RENEWAL_PREF
                      transaction: {productId: premium.monthly}
                      renewalInfo: {autoRenewProductId: premium.monthly}
                  anna: {product: premium.monthly, renewsInto: premium.monthly}

            """#,
        "downgrade": #"""
            name: A downgrade takes effect at the next renewal
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - purchase: {customer: anna, product: basic.monthly}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - type: DID_CHANGE_RENEWAL_PREF.DOWNGRADE
                      status: 1
                      transaction: {productId: premium.monthly}
                      renewalInfo: {productId: premium.monthly, autoRenewProductId: basic.monthly, renewalPrice: 4990}
                  anna: {product: premium.monthly, renewsInto: basic.monthly}
              - advance: 1 month
              - expect:
                  notifications: [{type: DID_RENEW, transaction: {productId: basic.monthly, transactionReason: RENEWAL, price: 4990}}]
                  anna: {product: basic.monthly, renewsInto: basic.monthly, status: active}

            """#,
        "external-purchase-token": #"""
            name: A token for external purchases is reported after a reminder
            steps:
              - createExternalPurchaseToken: {tokenType: SERVICES}
              - expect: {notifications: [{type: EXTERNAL_PURCHASE_TOKEN.CREATED, externalPurchaseToken: {tokenType: SERVICES}}]}
              - advance: 1 month
              - expect: {notifications: [EXTERNAL_PURCHASE_TOKEN.ACTIVE_TOKEN_REMINDER]}
              - reportExternalPurchaseToken: {token: last}

            """#,
        "external-purchase-unreported": #"""
            name: A token for external purchases is never reported
            steps:
              - createExternalPurchaseToken: {}
              - expect: {notifications: []}
              - advance: 3 months
              - expect: {notifications: [{type: EXTERNAL_PURCHASE_TOKEN.UNREPORTED, externalPurchaseToken: {tokenType: null}}]}

            """#,
        "family-sharing": #"""
            name: A family member gets a shared subscription, and loses it
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - shareWithFamily: {customer: anna, member: ben}
              - expect:
                  notifications:
                    - {type: SUBSCRIBED.INITIAL_BUY, customer: anna, transaction: {inAppOwnershipType: PURCHASED}}
                    - {type: SUBSCRIBED.INITIAL_BUY, customer: ben, transaction: {inAppOwnershipType: FAMILY_SHARED}}
                  ben: {status: active, access: true, inAppOwnershipType: FAMILY_SHARED}
              - stopSharing: {customer: anna, member: ben}
              - expect:
                  notifications:
                    - {type: REVOKE, customer: ben, status: 5, transaction: {revocationReason: 0, revocationType: FAMILY_REVOKE}}
                  ben: {status: revoked, access: false}
                  anna: {status: active, access: true}
              - shareWithFamily: {customer: anna, member: ben}
              - expect:
                  notifications: [{type: SUBSCRIBED.RESUBSCRIBE, customer: ben, status: 1}]
                  ben: {status: active, access: true}
              - approveRefund: {customer: anna, reason: 1}
              - expect:
                  notifications:
                    - {type: REFUND, customer: anna, transaction: {revocationReason: 1}}
                    - {type: REVOKE, customer: ben, transaction: {revocationReason: 1, revocationType: FAMILY_REVOKE}}
                  anna: {access: false}
                  ben: {access: false}

            """#,
        "grace-period-missed-lapsed": #"""
            name: The renewal is paid neither in the grace period nor in billing retry
            settings: {production: {gracePeriod: sixteenDays}}
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - failBilling: {customer: anna}
              - advance: 1 month
              - advance: 60 days
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - DID_FAIL_TO_RENEW.GRACE_PERIOD
                    - GRACE_PERIOD_EXPIRED
                    - type: EXPIRED.BILLING_RETRY
                      status: 2
                      renewalInfo: {autoRenewStatus: 0, isInBillingRetryPeriod: false, expirationIntent: 2}
                  anna: {status: expired, access: false, autoRenew: false, expirationIntent: 2}

            """#,
        "grace-period-missed-recovered": #"""
            name: The renewal is paid after the grace period
            settings: {production: {gracePeriod: sixteenDays}}
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - failBilling: {customer: anna}
              - advance: 1 month
              - expect: {notifications: [SUBSCRIBED.INITIAL_BUY, {type: DID_FAIL_TO_RENEW.GRACE_PERIOD, status: 4}]}
              - advance: 16 days
              - expect:
                  notifications:
                    - {type: GRACE_PERIOD_EXPIRED, status: 3, renewalInfo: {isInBillingRetryPeriod: true, expirationIntent: 2}}
                  anna: {status: billing_retry, access: false}
              - advance: 10 days
              - fixBilling: {customer: anna}
              - expect:
                  notifications: [{type: DID_RENEW.BILLING_RECOVERY, status: 1, transaction: {transactionReason: RENEWAL}}]
                  anna: {status: active, access: true}

            """#,
        "grace-period-recovered": #"""
            name: A renewal fails and is paid within the grace period
            settings: {production: {gracePeriod: sixteenDays}}
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY]
                  anna: {status: active, product: premium.monthly, autoRenew: true}
              - failBilling: {customer: anna}
              - advance: 1 month
              - expect:
                  notifications:
                    - type: DID_FAIL_TO_RENEW.GRACE_PERIOD
                      status: 4
                      renewalInfo: {isInBillingRetryPeriod: true, expirationIntent: 2, autoRenewStatus: 1}
                  anna: {status: billing_grace_period, access: true, isInBillingRetryPeriod: true}
              - advance: 3 days
              - fixBilling: {customer: anna}
              - expect:
                  notifications:
                    - type: DID_RENEW.BILLING_RECOVERY
                      status: 1
                      transaction: {transactionReason: RENEWAL}
                      renewalInfo: {gracePeriodExpiresDate: null, expirationIntent: null}
                  anna: {status: active, access: true, gracePeriodExpiresDate: null}

            """#,
        "mass-extension": #"""
            name: The renewal dates of all subscribers are extended
            steps:
              - purchase: {customer: anna, product: premium.yearly, introductory: false}
              - purchase: {customer: ben, product: premium.yearly, introductory: false}
              - extendAllRenewals: {product: premium.yearly, days: 10}
              - advance: 1 day
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - SUBSCRIBED.INITIAL_BUY
                    - RENEWAL_EXTENDED
                    - RENEWAL_EXTENDED
                    - RENEWAL_EXTENSION.SUMMARY
              - advance: 1 year
              - expect: {notifications: []}
              - advance: 10 days
              - expect: {notifications: [DID_RENEW, DID_RENEW]}

            """#,
        "monthly-commitment": #"""
            name: A yearly commitment is paid monthly
            steps:
              - purchase: {customer: anna, product: premium.commitment, billingPlan: MONTHLY}
              - expect:
                  notifications:
                    - type: SUBSCRIBED.INITIAL_BUY
                      transaction: {billingPlanType: MONTHLY, price: 8990, commitmentInfo: {billingPeriodNumber: 1, totalBillingPeriods: 12, commitmentPrice: 107880}}
              - advance: 1 month
              - expect:
                  notifications: [{type: DID_RENEW, transaction: {commitmentInfo: {billingPeriodNumber: 2}}}]
              - cancel: {customer: anna}
              - expect:
                  notifications: [{type: DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED, renewalInfo: {commitmentInfo: {commitmentAutoRenewStatus: 0}}}]
                  anna: {status: active, access: true}
              - advance: 1 month
              - expect: {notifications: [{type: DID_RENEW, transaction: {commitmentInfo: {billingPeriodNumber: 3}}}]}

            """#,
        "non-consumable": #"""
            name: A non-consumable is bought, shared and refunded
            steps:
              - purchase: {customer: anna, product: unlock}
              - shareWithFamily: {customer: anna, member: ben}
              - expect:
                  notifications:
                    - {type: ONE_TIME_CHARGE, customer: anna, status: null, transaction: {type: Non-Consumable, price: 4990}}
                    - {type: ONE_TIME_CHARGE, customer: ben, transaction: {inAppOwnershipType: FAMILY_SHARED}}
                  anna: {purchases: [unlock]}
                  ben: {purchases: [unlock]}
              - refuse: {purchase: {customer: anna, product: unlock}, code: already_owned}
              - approveRefund: {customer: anna}
              - expect:
                  notifications: [{type: REFUND, customer: anna}, {type: REVOKE, customer: ben}]
                  anna: {purchases: []}
                  ben: {purchases: []}

            """#,
        "non-renewing": #"""
            name: A non-renewing subscription never expires by itself
            steps:
              - purchase: {customer: anna, product: season.pass}
              - advance: 2 years
              - expect:
                  notifications: [{type: ONE_TIME_CHARGE, transaction: {type: Non-Renewing Subscription, expiresDate: null}}]
                  anna: {purchases: [season.pass]}
              - purchase: {customer: anna, product: season.pass}
              - expect:
                  notifications: [ONE_TIME_CHARGE]
                  anna: {purchases: [season.pass, season.pass]}

            """#,
        "offer-code-expiry": #"""
            name: An offer code ends, and customers who redeemed it in time keep the offer
            steps:
              - endOffer: {product: news.monthly, offer: AUTUMN, after: 20 days}
              # Anna gets the introductory offer of two weeks, then the two months of the offer code.
              - purchase: {customer: anna, product: news.monthly, offer: FALL-1}
              - expect:
                  notifications:
                    - {type: SUBSCRIBED.INITIAL_BUY, customer: anna, transaction: {offerType: 1}, renewalInfo: {offerType: 3, offerIdentifier: AUTUMN}}
              - advance: 15 days
              - expect:
                  notifications: [{type: DID_RENEW, customer: anna, transaction: {offerType: 3, offerIdentifier: AUTUMN, price: 990}}]
              - advance: 5 days
              - refuse: {purchase: {customer: ben, product: news.monthly, offer: FALL-2}, code: offer_expired}
              - refuse: {purchase: {customer: ben, product: news.monthly, offer: AUTUMN}, code: offer_expired}
              - advance: 1 month
              - expect:
                  notifications: [{type: DID_RENEW, customer: anna, transaction: {offerType: 3, offerIdentifier: AUTUMN, price: 990}}]
                  anna: {status: active, offerType: 3, offerIdentifier: AUTUMN}
              - advance: 1 month
              - expect:
                  notifications: [{type: DID_RENEW, customer: anna, transaction: {offerType: null, price: 2990}}]
                  anna: {status: active, offerType: null}
              # An offer without an end is not affected.
              - purchase: {customer: ben, product: premium.monthly, offer: WELCOME}
              - expect:
                  ben: {offerType: 3, offerIdentifier: WELCOME}

            """#,
        "offer-codes": #"""
            name: Offer codes are redeemed by eligible customers only
            steps:
              - purchase: {customer: anna, product: premium.monthly, offer: WELCOME}
              - expect:
                  notifications:
                    - {type: SUBSCRIBED.INITIAL_BUY, customer: anna, transaction: {offerType: 3, offerIdentifier: WELCOME, offerDiscountType: FREE_TRIAL, price: 0}}
                  anna: {status: active, offerType: 3, offerIdentifier: WELCOME}
              - purchase: {customer: ben, product: premium.monthly, introductory: false}
              - refuse: {purchase: {customer: ben, product: premium.monthly, offer: WELCOME}, code: not_eligible}
              - cancel: {customer: ben}
              - advance: 1 month
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY, DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED, {type: DID_RENEW, customer: anna}, {type: EXPIRED.VOLUNTARY, customer: ben}]
              - purchase: {customer: ben, product: premium.monthly, offer: WELCOME}
              - purchase: {customer: carol, product: coins.100, offer: COINS}
              - expect:
                  notifications:
                    - {type: SUBSCRIBED.RESUBSCRIBE, customer: ben, transaction: {offerType: 3, offerIdentifier: WELCOME}}
                    - {type: ONE_TIME_CHARGE, customer: carol, transaction: {offerType: 3, offerIdentifier: COINS, offerDiscountType: ONE_TIME}}

            """#,
        "offer-limits": #"""
            name: Offer codes are limited in number, and win-back offers need a pause
            steps:
              # FALL-1 is a value of the offer code AUTUMN. The offer follows the introductory offer, because it stacks.
              - purchase: {customer: anna, product: news.monthly, offer: FALL-1}
              - expect:
                  notifications:
                    - type: SUBSCRIBED.INITIAL_BUY
                      transaction: {offerType: 1}
                      renewalInfo: {offerType: 3, offerIdentifier: AUTUMN}
              - refuse: {purchase: {customer: anna, product: news.monthly, offer: FALL-2}, code: offer_already_redeemed}
              - purchase: {customer: ben, product: news.monthly, introductory: false, offer: FALL-2}
              - expect:
                  notifications:
                    - {type: SUBSCRIBED.INITIAL_BUY, customer: ben, transaction: {offerType: 3, offerIdentifier: AUTUMN, price: 990}}
              # Both redemptions are used.
              - refuse: {purchase: {customer: carol, product: news.monthly, offer: AUTUMN}, code: offer_exhausted}
              - advance: 15 days
              - expect:
                  notifications: [{type: DID_RENEW, customer: anna, transaction: {offerType: 3, offerIdentifier: AUTUMN, price: 990}}]
                  anna: {offerType: 3, offerIdentifier: AUTUMN}
              - cancel: {customer: anna}
              - cancel: {customer: ben}
              # A customer can redeem a win-back offer once in six months.
              - purchase: {customer: dora, product: premium.monthly, introductory: false}
              - advance: 1 month
              - cancel: {customer: dora}
              - advance: 1 month
              - purchase: {customer: dora, product: premium.monthly, offer: comeback}
              - expect:
                  dora: {status: active, offerType: 4, offerIdentifier: comeback}
              - cancel: {customer: dora}
              - advance: 4 months
              - expect:
                  dora: {status: expired}
              - refuse: {purchase: {customer: dora, product: premium.monthly, offer: comeback}, code: not_eligible}
              - advance: 3 months
              - purchase: {customer: dora, product: premium.monthly, offer: comeback}
              - expect:
                  dora: {status: active, offerType: 4, offerIdentifier: comeback}

            """#,
        "price-campaign": #"""
            name: A scheduled price increase takes effect after the notice period
            description: >-
              A customer who is notified less than 27 days before a renewal pays the old price once more. Finds servers that show the new
              price at once, or end the subscription of a customer without an answer too early.
            settings: {production: {renewalLead: 0}}
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - purchase: {customer: ben, product: premium.monthly, introductory: false}
              - advance: 10 days
              - schedulePriceChange: {product: premium.monthly, price: 15990, consent: true}
              - purchase: {customer: carol, product: premium.monthly, introductory: false}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - SUBSCRIBED.INITIAL_BUY
                    - {type: SUBSCRIBED.INITIAL_BUY, transaction: {price: 15990}}
              - advance: 21 days
              - expect:
                  notifications:
                    - {type: DID_RENEW, transaction: {price: 9990}}
                    - {type: DID_RENEW, transaction: {price: 9990}}
                  anna: {status: active, priceIncreaseStatus: null}
              - advance: 10 days
              - expect:
                  anna: {priceIncreaseStatus: 0}
              - acceptPrice: {customer: anna}
              - advance: 22 days
              - expect:
                  anna: {status: active}
                  ben: {status: expired, expirationIntent: 3}

            """#,
        "price-increase-accepted": #"""
            name: A price increase that needs consent is accepted
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - increasePrice: {product: premium.monthly, price: 11990, consent: true, customer: anna}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - {type: PRICE_INCREASE.PENDING, renewalInfo: {priceIncreaseStatus: 0, renewalPrice: 11990}}
                  anna: {status: active, priceIncreaseStatus: 0}
              - acceptPrice: {customer: anna}
              - expect:
                  notifications: [{type: PRICE_INCREASE.ACCEPTED, renewalInfo: {priceIncreaseStatus: 1}}]
              - advance: 1 month
              - expect:
                  notifications: [{type: DID_RENEW, transaction: {price: 11990}}]
                  anna: {status: active, priceIncreaseStatus: null}

            """#,
        "price-increase-cancelled": #"""
            name: The customer cancels because of a price increase
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - increasePrice: {product: premium.monthly, price: 11990, consent: true, customer: anna}
              - cancel: {customer: anna}
              - advance: 1 month
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - PRICE_INCREASE.PENDING
                    - DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED
                    - {type: EXPIRED.VOLUNTARY, renewalInfo: {expirationIntent: 1}}
                  anna: {status: expired, expirationIntent: 1}

            """#,
        "price-increase-unanswered": #"""
            name: A price increase that needs consent gets no answer
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - increasePrice: {product: premium.monthly, price: 11990, consent: true, customer: anna}
              - advance: 1 month
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - PRICE_INCREASE.PENDING
                    - {type: EXPIRED.PRICE_INCREASE, status: 2, renewalInfo: {expirationIntent: 3}}
                  anna: {status: expired, access: false, expirationIntent: 3}

            """#,
        "price-increase-without-consent": #"""
            name: A price increase that needs no consent
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - increasePrice: {product: premium.monthly, price: 10990, consent: false, customer: anna}
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY, {type: PRICE_INCREASE.ACCEPTED, renewalInfo: {priceIncreaseStatus: 1, renewalPrice: 10990}}]
              - advance: 1 month
              - expect: {notifications: [{type: DID_RENEW, transaction: {price: 10990}}]}

            """#,
        "product-removed": #"""
            name: A product is taken off sale
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - removeFromSale: {product: premium.monthly}
              - refuse: {purchase: {customer: ben, product: premium.monthly}, code: not_for_sale}
              - advance: 1 month
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY, {type: EXPIRED.PRODUCT_NOT_FOR_SALE, status: 2, renewalInfo: {expirationIntent: 4}}]
                  anna: {status: expired, expirationIntent: 4}
              - returnToSale: {product: premium.monthly}
              - purchase: {customer: anna, product: premium.monthly}
              - expect: {notifications: [SUBSCRIBED.RESUBSCRIBE]}

            """#,
        "promotional-offers": #"""
            name: Promotional offers are for present and former subscribers
            steps:
              - refuse: {purchase: {customer: dora, product: premium.monthly, offer: save20, sign: true}, code: not_eligible}
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              # An app gets the signature from the developer's server; here the simulator signs (`sign: true`).
              - refuse: {purchase: {customer: anna, product: premium.monthly, offer: save20}, code: offer_signature_missing}
              - refuse:
                  purchase: {customer: anna, product: premium.monthly, offer: save20, signature: eyJ}
                  code: offer_signature_malformed
              - purchase: {customer: anna, product: premium.monthly, offer: save20, sign: true}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - type: OFFER_REDEEMED
                      status: 1
                      transaction: {offerType: null}
                      renewalInfo: {offerType: 2, offerIdentifier: save20, renewalPrice: 7990}
              - advance: 1 month
              - expect:
                  notifications: [{type: DID_RENEW, transaction: {offerType: 2, offerIdentifier: save20, price: 7990}}]
                  anna: {offerType: 2, offerIdentifier: save20}
              - advance: 3 months
              - expect:
                  notifications: [DID_RENEW, DID_RENEW, {type: DID_RENEW, transaction: {offerType: null, price: 9990}}]
              - purchase: {customer: ben, product: basic.monthly}
              - purchase: {customer: ben, product: premium.monthly, offer: save20, sign: true}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - {type: OFFER_REDEEMED.UPGRADE, customer: ben, transaction: {productId: premium.monthly, offerType: 2, price: 7990}}
              - purchase: {customer: carol, product: premium.monthly, introductory: false}
              - purchase: {customer: carol, product: premium.yearly, offer: firstyear, sign: true}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - {type: OFFER_REDEEMED.DOWNGRADE, customer: carol, renewalInfo: {autoRenewProductId: premium.yearly, offerIdentifier: firstyear, renewalPrice: 49990}}

            """#,
        "refund-declined": #"""
            name: A refund is declined
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - requestRefund: {customer: anna, inApp: true}
              - declineRefund: {customer: anna}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED
                    - CONSUMPTION_REQUEST
                    - {type: REFUND_DECLINED, status: 1, transaction: {revocationDate: null}}
                  anna: {status: active, access: true, autoRenew: false}
              - resume: {customer: anna}
              - expect:
                  notifications: [DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_ENABLED]
                  anna: {autoRenew: true}

            """#,
        "refund-follows-answer": #"""
            name: An approved refund follows the developer's consumption answer
            description: Finds servers that treat every refund as a full refund, or do not report its reason.
            steps:
              - purchase: {customer: anna, product: coins.100}
              - requestRefund: {customer: anna, reason: UNSATISFIED_WITH_PURCHASE}
              - answerConsumptionRequest: {customer: anna, preference: GRANT_PRORATED, percentage: 25000}
              - approveRefund: {customer: anna}
              - expect:
                  notifications:
                    - ONE_TIME_CHARGE
                    - CONSUMPTION_REQUEST
                    - {type: REFUND, transaction: {revocationType: REFUND_PRORATED, revocationPercentage: 75000, revocationReason: 1}}
              # The approval can override the answer.
              - purchase: {customer: ben, product: coins.100}
              - requestRefund: {customer: ben, reason: UNINTENDED_PURCHASE}
              - answerConsumptionRequest: {customer: ben, preference: GRANT_PRORATED, percentage: 25000}
              - approveRefund: {customer: ben, percentage: 100000, reason: 1}
              - expect:
                  notifications:
                    - ONE_TIME_CHARGE
                    - CONSUMPTION_REQUEST
                    - {type: REFUND, transaction: {revocationType: REFUND_FULL, revocationPercentage: 100000, revocationReason: 1}}
              # Apple can approve a refund although the developer prefers to decline.
              - purchase: {customer: carol, product: premium.monthly, introductory: false}
              - requestRefund: {customer: carol, reason: LEGAL}
              - answerConsumptionRequest: {customer: carol, preference: DECLINE}
              - approveRefund: {customer: carol}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - CONSUMPTION_REQUEST
                    - {type: REFUND, transaction: {revocationType: REFUND_FULL, revocationReason: 0}}

            """#,
        "refund-of-earlier-period": #"""
            name: An earlier period is refunded while the subscription goes on
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - advance: 1 month
              - expect: {notifications: [SUBSCRIBED.INITIAL_BUY, DID_RENEW]}
              - approveRefund: {customer: anna, transaction: 1}
              - expect:
                  notifications: [{type: REFUND, status: 1, transaction: {transactionReason: PURCHASE, revocationReason: 0}}]
                  anna: {status: active, access: true}
              - advance: 1 month
              - expect: {notifications: [DID_RENEW]}

            """#,
        "refund-prorated": #"""
            name: Half of a period is refunded
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - requestRefund: {customer: anna, reason: UNSATISFIED_WITH_PURCHASE}
              - advance: 1 hour
              - approveRefund: {customer: anna, percentage: 50000}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - CONSUMPTION_REQUEST
                    - {type: REFUND, transaction: {revocationType: REFUND_PRORATED, revocationPercentage: 50000}}
                  anna: {status: revoked}

            """#,
        "refund-reversed": #"""
            name: A refund is reversed after a dispute
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - approveRefund: {customer: anna}
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY, {type: REFUND, status: 5}]
                  anna: {status: revoked, access: false}
              - advance: 3 days
              - reverseRefund: {customer: anna}
              - expect:
                  notifications:
                    - {type: REFUND_REVERSED, status: 1, transaction: {revocationDate: null, revocationReason: null, revocationType: null}}
                  anna: {status: active, access: true}
              - refuse: {reverseRefund: {customer: anna}, code: impossible_transition}

            """#,
        "refund": #"""
            name: The current period is refunded on the customer's request in the app
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - requestRefund: {customer: anna, reason: UNINTENDED_PURCHASE, inApp: true}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - {type: DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED, status: 1}
                    - {type: CONSUMPTION_REQUEST, status: 1, consumptionRequestReason: UNINTENDED_PURCHASE}
                  anna: {status: active, access: true, autoRenew: false}
              - approveRefund: {customer: anna}
              - expect:
                  notifications: [{type: REFUND, status: 5, transaction: {revocationReason: 0, revocationType: REFUND_FULL, revocationPercentage: 100000}}]
                  anna: {status: revoked, access: false}
              - refuse: {approveRefund: {customer: anna}, code: already_refunded}

            """#,
        "renewal-charged-ahead": #"""
            name: Renewals are charged before they begin
            description: >-
              The App Store charges a renewal within the last 24 hours of the previous period; here, where a month lasts an hour, within
              two minutes. Finds servers that treat the new period as begun, or let it replace a later upgrade.
            settings: {production: {rate: monthlyEveryHour, renewalLead: 86400, renewalDelay: 0}}
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - purchase: {customer: ben, product: basic.monthly, introductory: false}
              - purchase: {customer: carol, product: premium.monthly, introductory: false}
              - purchase: {customer: dora, product: premium.monthly, introductory: false}
              - purchase: {customer: dora, product: basic.monthly}
              - advance: 57 minutes
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - SUBSCRIBED.INITIAL_BUY
                    - SUBSCRIBED.INITIAL_BUY
                    - SUBSCRIBED.INITIAL_BUY
                    - DID_CHANGE_RENEWAL_PREF.DOWNGRADE
              # All renewals are charged by then, and no new period has begun.
              - advance: 2m 55s
              - expect:
                  notifications:
                    - {type: DID_RENEW, status: 1}
                    - {type: DID_RENEW, status: 1}
                    - {type: DID_RENEW, status: 1}
                    - {type: DID_RENEW, status: 1}
                  anna: {status: active, product: premium.monthly}
                  dora: {status: active, product: premium.monthly}
              # An upgrade ends the period that was paid ahead. A refund of it leaves the current period. After a cancellation it stays.
              - purchase: {customer: ben, product: premium.monthly, introductory: false}
              - approveRefund: {customer: carol}
              - cancel: {customer: anna}
              - expect:
                  notifications:
                    - DID_CHANGE_RENEWAL_PREF.UPGRADE
                    - {type: REFUND, status: 1, renewalInfo: {autoRenewStatus: 0}}
                    - DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED
                  carol: {status: active, access: true}
              - advance: 5s
              - expect:
                  notifications: [{type: EXPIRED.VOLUNTARY, customer: carol}]
                  anna: {status: active, product: premium.monthly}
                  ben: {status: active, product: premium.monthly}
                  carol: {status: expired, access: false}
                  dora: {status: active, product: basic.monthly}

            """#,
        "renewal-extended": #"""
            name: The renewal date of one subscription is extended
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - extendRenewal: {customer: anna, days: 30}
              - expect: {notifications: [SUBSCRIBED.INITIAL_BUY, {type: RENEWAL_EXTENDED, status: 1}]}
              - advance: 1 month
              - expect:
                  notifications: []
                  anna: {status: active}
              - advance: 30 days
              - expect: {notifications: [DID_RENEW]}

            """#,
        "renewal-toggled": #"""
            name: Renewal is turned off and on again within a period
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - advance: 10 days
              - cancel: {customer: anna}
              - expect: {anna: {status: active, autoRenew: false}}
              - advance: 5 days
              - resume: {customer: anna}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - {type: DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED, renewalInfo: {autoRenewStatus: 0}}
                    - {type: DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_ENABLED, renewalInfo: {autoRenewStatus: 1}}
                  anna: {status: active, autoRenew: true}
              - advance: 1 month
              - expect: {notifications: [DID_RENEW]}

            """#,
        "sandbox-renewal-cap": #"""
            name: In the sandbox a subscription renews twelve times
            environment: sandbox
            settings: {sandbox: {rate: monthlyEvery5Minutes}}
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - advance: 60 minutes
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY, DID_RENEW, DID_RENEW, DID_RENEW, DID_RENEW, DID_RENEW, DID_RENEW, DID_RENEW, DID_RENEW, DID_RENEW, DID_RENEW, DID_RENEW, DID_RENEW]
              - advance: 5 minutes
              - expect:
                  notifications: [{type: EXPIRED.VOLUNTARY, renewalInfo: {expirationIntent: 1}}]
                  anna: {status: expired}

            """#,
        "test-notification": #"""
            name: The developer requests a test notification
            description: A test notification needs a notification URL; nothing has to answer there.
            settings:
              production: {notificationURL: "http://127.0.0.1:9/"}
              sandbox: {notificationURL: "http://127.0.0.1:9/"}
            steps:
              - requestTestNotification
              - expect: {notifications: [TEST]}
              - environment: sandbox
              - requestTestNotification
              - expect: {notifications: [TEST]}

            """#,
        "trial-cancelled": #"""
            name: A free trial is cancelled before it ends
            steps:
              - purchase: {customer: anna, product: premium.monthly}
              - advance: 2 days
              - cancel: {customer: anna}
              - expect:
                  notifications: [SUBSCRIBED.INITIAL_BUY, {type: DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED, status: 1}]
                  anna: {status: active, access: true, autoRenew: false, offerType: 1}
              - advance: 5 days
              - expect:
                  notifications: [{type: EXPIRED.VOLUNTARY, status: 2, renewalInfo: {expirationIntent: 1}}]
                  anna: {status: expired, access: false}

            """#,
        "trial-converted": #"""
            name: A free trial becomes a paid subscription, ends and begins again
            steps:
              - purchase: {customer: anna, product: premium.monthly}
              - expect:
                  notifications:
                    - type: SUBSCRIBED.INITIAL_BUY
                      status: 1
                      transaction: {offerType: 1, offerIdentifier: null, offerDiscountType: FREE_TRIAL, offerPeriod: P1W, price: 0, transactionReason: PURCHASE}
                      renewalInfo: {autoRenewStatus: 1, renewalPrice: 9990}
                  anna: {status: active, access: true, product: premium.monthly, autoRenew: true, offerType: 1}
              - advance: 1 week
              - expect:
                  notifications:
                    - type: DID_RENEW
                      status: 1
                      transaction: {offerType: null, price: 9990, transactionReason: RENEWAL}
                  anna: {status: active, access: true, offerType: null}
              - advance: 1 month
              - expect: {notifications: [DID_RENEW]}
              - cancel: {customer: anna}
              - expect:
                  notifications:
                    - type: DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED
                      status: 1
                      renewalInfo: {autoRenewStatus: 0, expirationIntent: null}
                  anna: {status: active, access: true, autoRenew: false}
              - advance: 1 month
              - expect:
                  notifications:
                    - {type: EXPIRED.VOLUNTARY, status: 2, renewalInfo: {autoRenewStatus: 0, expirationIntent: 1}}
                  anna: {status: expired, access: false}
              - purchase: {customer: anna, product: premium.monthly}
              - expect:
                  notifications:
                    - type: SUBSCRIBED.RESUBSCRIBE
                      status: 1
                      transaction: {offerType: null, price: 9990, transactionReason: PURCHASE}
                      renewalInfo: {autoRenewStatus: 1, expirationIntent: null}
                  anna: {status: active, access: true, autoRenew: true}

            """#,
        "upgrade": #"""
            name: An upgrade takes effect at once
            steps:
              - purchase: {customer: anna, product: basic.monthly}
              - advance: 10 days
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - type: DID_CHANGE_RENEWAL_PREF.UPGRADE
                      status: 1
                      transaction: {productId: premium.monthly, transactionReason: PURCHASE, price: 9990}
                      renewalInfo: {productId: premium.monthly, autoRenewProductId: premium.monthly}
                  anna: {product: premium.monthly, renewsInto: premium.monthly, status: active}
              - advance: 1 month
              - expect: {notifications: [{type: DID_RENEW, transaction: {productId: premium.monthly}}]}

            """#,
        "version-1-to-2": #"""
            name: An app switches from notifications version 1 to version 2
            description: >-
              Version 1 has fewer notifications, with other names, and none for purchases other than subscriptions. After the switch all
              notifications are in version 2.
            settings: {production: {notificationVersion: 1, renewalLead: 0}}
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - purchase: {customer: ben, product: coins.100}
              - expect: {notifications: [V1.INITIAL_BUY]}
              - advance: 1 month
              - expect: {notifications: [V1.DID_RENEW]}
              - failBilling: {customer: anna}
              - advance: 1 month
              - expect:
                  notifications: [V1.DID_FAIL_TO_RENEW]
                  anna: {status: billing_retry, access: false}
              - fixBilling: {customer: anna}
              - expect: {notifications: [V1.DID_RECOVER]}
              - cancel: {customer: anna}
              - expect: {notifications: [V1.DID_CHANGE_RENEWAL_STATUS]}
              - advance: 1 month
              - expect:
                  notifications: []
                  anna: {status: expired, expirationIntent: 1}
              - purchase: {customer: anna, product: premium.yearly}
              - expect: {notifications: [V1.INTERACTIVE_RENEWAL, V1.DID_CHANGE_RENEWAL_STATUS]}
              - set: {notificationVersion: 2}
              - purchase: {customer: ben, product: coins.100}
              - expect: {notifications: [ONE_TIME_CHARGE]}
              - advance: 1 year
              - expect:
                  notifications: [DID_RENEW]
                  anna: {status: active, product: premium.yearly}
              - approveRefund: {customer: anna}
              - expect: {notifications: [{type: REFUND, customer: anna, status: 5}]}

            """#,
        "win-back": #"""
            name: A former subscriber redeems a win-back offer
            steps:
              - purchase: {customer: anna, product: premium.monthly, introductory: false}
              - cancel: {customer: anna}
              - refuse: {purchase: {customer: anna, product: premium.monthly, offer: comeback}, code: not_eligible}
              - advance: 1 month
              - expect:
                  notifications:
                    - SUBSCRIBED.INITIAL_BUY
                    - DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED
                    - {type: EXPIRED.VOLUNTARY, renewalInfo: {eligibleWinBackOfferIds: [comeback]}}
              - advance: 10 days
              - purchase: {customer: anna, product: premium.monthly, offer: comeback}
              - expect:
                  notifications: [{type: SUBSCRIBED.RESUBSCRIBE, transaction: {offerType: 4, offerIdentifier: comeback, price: 9990, offerPeriod: P3M}}]
                  anna: {status: active, offerType: 4}

            """#,
    ]
}
