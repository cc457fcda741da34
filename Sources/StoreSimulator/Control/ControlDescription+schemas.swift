// A schema is one line where it can be: it is read by programs.
// swift-format-ignore-file
extension ControlDescription {
    static let schemas = #"""
            Milliseconds: {type: integer, format: int64, description: Milliseconds since 1970}
            Error: {type: object, required: [object, type, message, retryable], properties: {object: {type: string}, type: {type: string}, message: {type: string}, retryable: {type: boolean}, param: {type: string}}}
            BaseURLs: {type: object, required: [production, sandbox], properties: {production: {type: string}, sandbox: {type: string}}}
            SimulatorInformation: {type: object, required: [baseURLs, controlURL, issuerId, keyId, privateKey, bundleId, appAppleId, rootCertificates, processIdentifier], properties: {baseURLs: {$ref: "#/components/schemas/BaseURLs"}, controlURL: {type: string}, issuerId: {type: string}, keyId: {type: string}, privateKey: {type: string}, bundleId: {type: string}, appAppleId: {type: integer}, rootCertificates: {type: array, items: {type: string}}, processIdentifier: {type: integer}, sharedSecret: {type: string}}}
            Clock: {type: object, required: [now, mode], properties: {now: {$ref: "#/components/schemas/Milliseconds"}, mode: {type: string}, next: {$ref: "#/components/schemas/Milliseconds"}}}
            ClockAdvance:
              description: Either by, a length such as 31d or P13M, or to, an instant in ISO 8601 or milliseconds
              type: object
              properties: {by: {type: string}, to: {oneOf: [{type: string, format: date-time}, {$ref: "#/components/schemas/Milliseconds"}]}}
            AdvanceReport: {type: object, required: [from, to, notifications, delivered, failedAttempts], properties: {from: {$ref: "#/components/schemas/Milliseconds"}, to: {$ref: "#/components/schemas/Milliseconds"}, notifications: {type: integer}, delivered: {type: integer}, failedAttempts: {type: integer}}}
            StoreCommand:
              description: One command, by its name; what is optional may be left out
              type: object
              minProperties: 1
              maxProperties: 1
              additionalProperties: false
              properties:
                createCustomer: {type: object, required: [customer], properties: {customer: {type: string}, storefront: {type: string}}}
                purchase: {type: object, required: [customer, product], properties: {customer: {type: string}, product: {type: string}, quantity: {type: integer}, offer: {type: string}, introductory: {type: boolean}, appAccountToken: {type: [string, "null"], format: uuid, description: "The account that this and the following purchases name; null for none. Default: the customer's own, made from seed and name"}, billingPlan: {type: string}}}
                cancel: {type: object, required: [customer], properties: {customer: {type: string}, subscription: {type: string}}}
                resume: {type: object, required: [customer], properties: {customer: {type: string}, subscription: {type: string}}}
                failBilling: {type: object, required: [customer], properties: {customer: {type: string}}}
                fixBilling: {type: object, required: [customer], properties: {customer: {type: string}}}
                hasten: {type: object, required: [customer], properties: {customer: {type: string}, subscription: {type: string}}}
                requestRefund: {type: object, required: [customer], properties: {customer: {type: string}, transaction: {type: string}, reason: {type: string}, inApp: {type: boolean}, note: {type: string}}}
                approveRefund: {type: object, required: [customer], properties: {customer: {type: string}, transaction: {type: string}, reason: {type: integer}, percentage: {type: integer}}}
                declineRefund: {type: object, required: [customer], properties: {customer: {type: string}, transaction: {type: string}}}
                reverseRefund: {type: object, required: [customer], properties: {customer: {type: string}, transaction: {type: string}}}
                shareWithFamily: {type: object, required: [customer, member], properties: {customer: {type: string}, member: {type: string}}}
                stopSharing: {type: object, required: [customer, member], properties: {customer: {type: string}, member: {type: string}}}
                increasePrice: {type: object, required: [product, price, consent], properties: {product: {type: string}, price: {type: integer}, consent: {type: boolean}, customer: {type: string}}}
                acceptPrice: {type: object, required: [customer], properties: {customer: {type: string}, subscription: {type: string}}}
                removeFromSale: {type: object, required: [product], properties: {product: {type: string}}}
                returnToSale: {type: object, required: [product], properties: {product: {type: string}}}
                finish: {type: object, required: [customer], properties: {customer: {type: string}, transaction: {type: string}}}
                setAppAccountToken: {type: object, required: [customer, appAccountToken], properties: {customer: {type: string}, appAccountToken: {type: string}, transaction: {type: string}}}
                answerConsumptionRequest: {type: object, required: [customer], properties: {customer: {type: string}, transaction: {type: string}, preference: {type: string}, percentage: {type: integer}}}
                extendRenewal: {type: object, required: [customer, days], properties: {customer: {type: string}, days: {type: integer}, subscription: {type: string}, reason: {type: integer}}}
                extendAllRenewals: {type: object, required: [product, days], properties: {product: {type: string}, days: {type: integer}, storefronts: {type: array, items: {type: string}}}}
                rescindConsent: {type: object, required: [customer], properties: {customer: {type: string}}}
                createExternalPurchaseToken: {type: object, properties: {tokenType: {type: string}}}
                reportExternalPurchaseToken: {type: object, required: [token], properties: {token: {type: string}}}
                requestTestNotification: {type: object}
                clearHistory: {type: object, required: [customer], properties: {customer: {type: string}}}
                assignSeat: {type: object, required: [customer, product], properties: {customer: {type: string}, product: {type: string}}}
                subscribeAdvancedCommerce: {type: object, required: [customer, product, request], properties: {customer: {type: string}, product: {type: string}, request: {type: object}}}
                chargeAdvancedCommerce: {type: object, required: [customer, product, request], properties: {customer: {type: string}, product: {type: string}, request: {type: object}}}
                requestAdvancedCommerce: {type: object, required: [customer, data], properties: {customer: {type: string}, data: {type: string}, product: {type: string}}}
                approveMessage: {type: object, required: [message], properties: {message: {type: string}}}
                rejectMessage: {type: object, required: [message], properties: {message: {type: string}}}
                approveImage: {type: object, required: [image], properties: {image: {type: string}}}
                rejectImage: {type: object, required: [image], properties: {image: {type: string}}}
                joinGroup: {type: object, required: [customer, group], properties: {customer: {type: string}, group: {type: string}, organization: {type: boolean}, administrator: {type: boolean}}}
            Announcement: {type: object, required: [notificationType, notificationUUID], properties: {notificationType: {type: string}, notificationUUID: {type: string}, subtype: {type: string}}}
            StoreOutcome: {type: object, required: [environment, notifications], properties: {environment: {type: string}, notifications: {type: array, items: {$ref: "#/components/schemas/Announcement"}}, customer: {type: string}, transactionId: {type: string}, originalTransactionId: {type: string}, appAccountToken: {type: string, format: uuid}, token: {type: string}}}
            TriggerRequest: {type: object, required: [notificationType], properties: {notificationType: {type: string}, subtype: {type: string}, product: {type: string}, customer: {type: string}, overrides: {type: object}}}
            SubscriptionState: {type: object, required: [originalTransactionId, transactionId, subscriptionGroupIdentifier, productId, status, hasAccess, autoRenewStatus, autoRenewProductId, inAppOwnershipType], properties: {originalTransactionId: {type: string}, transactionId: {type: string}, subscriptionGroupIdentifier: {type: string}, productId: {type: string}, status: {type: integer}, hasAccess: {type: boolean}, autoRenewStatus: {type: integer}, autoRenewProductId: {type: string}, inAppOwnershipType: {type: string}, expiresDate: {$ref: "#/components/schemas/Milliseconds"}, expirationIntent: {type: integer}, isInBillingRetryPeriod: {type: boolean}, gracePeriodExpiresDate: {$ref: "#/components/schemas/Milliseconds"}, offerType: {type: integer}, offerIdentifier: {type: string}, priceIncreaseStatus: {type: integer}, revocationDate: {$ref: "#/components/schemas/Milliseconds"}}}
            PurchaseState: {type: object, required: [transactionId, productId, type, quantity, purchaseDate, isFinished, inAppOwnershipType], properties: {transactionId: {type: string}, productId: {type: string}, type: {type: string}, quantity: {type: integer}, purchaseDate: {$ref: "#/components/schemas/Milliseconds"}, isFinished: {type: boolean}, inAppOwnershipType: {type: string}, revocationDate: {$ref: "#/components/schemas/Milliseconds"}}}
            CustomerState: {type: object, required: [customer, storefront, appTransactionId, isBillingFailing, family, subscriptions, purchases, summary], properties: {customer: {type: string}, storefront: {type: string}, appTransactionId: {type: string}, appAccountToken: {type: string, format: uuid}, isBillingFailing: {type: boolean}, family: {type: array, items: {type: string}}, subscriptions: {type: array, items: {$ref: "#/components/schemas/SubscriptionState"}}, purchases: {type: array, items: {$ref: "#/components/schemas/PurchaseState"}}, summary: {type: string}}}
            DevicePurchases: {type: object, required: [signedTransactions, signedAppTransactionInfo], properties: {signedTransactions: {type: array, items: {type: string}}, signedAppTransactionInfo: {type: string}, receipt: {type: string}}}
            DeviceReceipt: {type: object, required: [receipt-data], properties: {receipt-data: {type: string}}}
            Catalogue: {type: object, required: [products, groups, storefronts], properties: {products: {type: array, items: {$ref: "#/components/schemas/Product"}}, groups: {type: array, items: {$ref: "#/components/schemas/SubscriptionGroup"}}, storefronts: {type: array, items: {$ref: "#/components/schemas/Storefront"}}}}
            Product: {type: object, required: [id, type, name, price, prices], properties: {id: {type: string}, type: {type: string}, name: {type: string}, price: {type: integer}, prices: {type: object}, isFamilyShareable: {type: boolean}, isOnSale: {type: boolean}, isAdvancedCommerce: {type: boolean}, subscription: {type: object}}}
            SubscriptionGroup: {type: object, required: [id, name], properties: {id: {type: string}, name: {type: string}}}
            Storefront: {type: object, required: [code, id, currency], properties: {code: {type: string}, id: {type: string}, currency: {type: string}}}
            StoreSettings: {type: object, required: [rate, gracePeriod, graceCoversFreeOffers, retriesNotifications, retriesAfterBadRequest, deliveryTimeout, refunds, consumptionWindow, historyMatchesSubtypeExactly, notifiesFamilyMembers, cancellationAfterPriceNoticeHasSubtype, namesAppAppleID, massExtensionDuration, enforcesRateLimits], properties: {rate: {type: string}, gracePeriod: {type: string}, graceCoversFreeOffers: {type: boolean}, retriesNotifications: {type: boolean}, retriesAfterBadRequest: {type: boolean}, deliveryTimeout: {type: number}, refunds: {type: string}, consumptionWindow: {type: number}, historyMatchesSubtypeExactly: {type: boolean}, notifiesFamilyMembers: {type: boolean}, cancellationAfterPriceNoticeHasSubtype: {type: boolean}, namesAppAppleID: {type: boolean}, massExtensionDuration: {type: number}, enforcesRateLimits: {type: boolean}, renewalCap: {type: integer}, notificationURL: {type: string}}}
            Attempt: {type: object, required: [attemptDate, sendAttemptResult], properties: {attemptDate: {$ref: "#/components/schemas/Milliseconds"}, sendAttemptResult: {type: string}}}
            Notification: {type: object, required: [number, notificationUUID, notificationType, signedDate, isDelivered, isPending, attempts], properties: {number: {type: integer}, notificationUUID: {type: string}, notificationType: {type: string}, signedDate: {$ref: "#/components/schemas/Milliseconds"}, isDelivered: {type: boolean}, isPending: {type: boolean}, attempts: {type: array, items: {$ref: "#/components/schemas/Attempt"}}, subtype: {type: string}, customer: {type: string}, transactionId: {type: string}, originalTransactionId: {type: string}, productId: {type: string}}}
            SignedNotification: {type: object, required: [signedPayload], properties: {signedPayload: {type: string}}}
            NotificationTarget: {type: object, properties: {url: {type: [string, "null"]}}}
            Fault:
              type: object
              required: [target, effect]
              properties:
                target: {type: string, description: "route:NAME, notification:TYPE or notification:TYPE.SUBTYPE; * for all"}
                effect: {type: object, minProperties: 1, maxProperties: 1}
                environment: {type: string}
                probability: {type: number, minimum: 0, maximum: 1}
                count: {type: integer}
                until: {$ref: "#/components/schemas/Milliseconds"}
            FaultLine: {type: object, required: [number, struck, fault], properties: {number: {type: integer}, struck: {type: integer}, fault: {$ref: "#/components/schemas/Fault"}}}
            RevocationSetting:
              type: object
              required: [status]
              properties:
                status: {enum: [good, revoked, unknown, expired, slow, wrong, unreachable]}
                certificate: {enum: [leaf, intermediate, both]}
                seconds: {type: number}
            SnapshotName: {type: object, required: [name], properties: {name: {type: string}}}
            ScenarioText: {type: object, required: [yaml], properties: {yaml: {type: string}}}
            ScenarioStep: {type: object, required: [title, outcome, notifications, mismatches], properties: {title: {type: string}, outcome: {type: string}, notifications: {type: array, items: {type: string}}, mismatches: {type: array, items: {type: string}}, line: {type: integer}}}
            ScenarioReport: {type: object, required: [name, passed, steps], properties: {name: {type: string}, passed: {type: boolean}, steps: {type: array, items: {$ref: "#/components/schemas/ScenarioStep"}}}}
            CustomerStateList: {type: object, required: [object, items], properties: {object: {type: string}, items: {type: array, items: {$ref: "#/components/schemas/CustomerState"}}, next_page: {type: string}}}
            NotificationList: {type: object, required: [object, items], properties: {object: {type: string}, items: {type: array, items: {$ref: "#/components/schemas/Notification"}}, next_page: {type: string}}}
            FaultLineList: {type: object, required: [object, items], properties: {object: {type: string}, items: {type: array, items: {$ref: "#/components/schemas/FaultLine"}}, next_page: {type: string}}}
            SnapshotNameList: {type: object, required: [object, items], properties: {object: {type: string}, items: {type: array, items: {$ref: "#/components/schemas/SnapshotName"}}, next_page: {type: string}}}

        """#
}
