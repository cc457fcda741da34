// Made by Scripts/embed from openapi.yaml beside it. Change that file, not this one.
// swift-format-ignore-file

extension ControlDescription {
    /// The text of the file.
    package static let text = #"""
        # Served as /simulator/openapi.yaml. After a change run Scripts/embed. Tests compare it with the routes and responses.
        openapi: 3.1.0
        info:
          title: Simulator control API
          version: "1"
          description: >-
            Controls a simulated App Store. Instants are milliseconds since 1970; requests also accept ISO 8601. Every response
            has the header x-request-id. A method that a path does not have is answered with 405 and the header Allow.
        servers:
          - url: http://127.0.0.1:{port}
            variables:
              port: {default: "8090"}
        paths:
          /simulator:
            get:
              summary: Retrieve the simulator's addresses, key and certificates
              responses:
                "200":
                  description: The simulator
                  content: {application/json: {schema: {$ref: "#/components/schemas/SimulatorInformation"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/openapi.yaml:
            get:
              summary: Retrieve this description
              responses:
                "200":
                  description: OpenAPI 3.1
                  content:
                    application/yaml:
                      schema: {type: object, required: [openapi, paths]}
                default: {$ref: "#/components/responses/error"}
          /simulator/clock:
            get:
              summary: Retrieve the clock
              responses:
                "200": {$ref: "#/components/responses/clock"}
                default: {$ref: "#/components/responses/error"}
          /simulator/clock/advance:
            post:
              summary: Advance the clock; returns after all events up to then have been delivered
              parameters:
                - name: wait
                  in: query
                  description: With false it returns 202 at once; /simulator/clock/advances/{id} has the progress
                  schema: {type: string, enum: ["true", "false"], default: "true"}
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/ClockAdvance"}}}
              responses:
                "200":
                  description: The result of the advance
                  content: {application/json: {schema: {$ref: "#/components/schemas/AdvanceReport"}}}
                "202": {$ref: "#/components/responses/advance"}
                default: {$ref: "#/components/responses/error"}
          /simulator/clock/advances/{id}:
            parameters:
              - name: id
                in: path
                required: true
                schema: {type: integer}
            get:
              summary: Retrieve the progress of an advance
              responses:
                "200": {$ref: "#/components/responses/advance"}
                default: {$ref: "#/components/responses/error"}
            delete:
              summary: Cancel an advance after the step in progress
              responses:
                "202": {$ref: "#/components/responses/advance"}
                default: {$ref: "#/components/responses/error"}
          /simulator/wait-until-idle:
            post:
              summary: Wait until every notification that is due has been sent
              responses:
                "200": {$ref: "#/components/responses/clock"}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/commands:
            parameters:
              - {$ref: "#/components/parameters/environment"}
            post:
              summary: Perform a store command
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/StoreCommand"}}}
              responses:
                "200": {$ref: "#/components/responses/outcome"}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/trigger:
            parameters:
              - {$ref: "#/components/parameters/environment"}
            post:
              summary: Cause a notification of one type, with the events that lead to it
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/TriggerRequest"}}}
              responses:
                "200": {$ref: "#/components/responses/outcome"}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/customers:
            parameters:
              - {$ref: "#/components/parameters/environment"}
            get:
              summary: List customers with their purchases, by name
              parameters:
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of customers
                  content: {application/json: {schema: {$ref: "#/components/schemas/CustomerStateList"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/customers/{customer}:
            parameters:
              - {$ref: "#/components/parameters/environment"}
              - {$ref: "#/components/parameters/customer"}
            get:
              summary: Retrieve a customer with their purchases
              responses:
                "200":
                  description: The customer
                  content: {application/json: {schema: {$ref: "#/components/schemas/CustomerState"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/customers/{customer}/purchases:
            parameters:
              - {$ref: "#/components/parameters/environment"}
              - {$ref: "#/components/parameters/customer"}
            get:
              summary: Retrieve the signed purchases on a customer's device
              responses:
                "200":
                  description: The signed purchases
                  content: {application/json: {schema: {$ref: "#/components/schemas/DevicePurchases"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/customers/{customer}/receipt:
            parameters:
              - {$ref: "#/components/parameters/environment"}
              - {$ref: "#/components/parameters/customer"}
            get:
              summary: Retrieve the unified receipt on a customer's device
              parameters:
                - {$ref: "#/components/parameters/onDevice"}
              responses:
                "200":
                  description: The receipt
                  content: {application/json: {schema: {$ref: "#/components/schemas/DeviceReceipt"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/customers/{customer}/devices/{device}:
            parameters:
              - {$ref: "#/components/parameters/environment"}
              - {$ref: "#/components/parameters/customer"}
              - {$ref: "#/components/parameters/device"}
            get:
              summary: Retrieve the StoreKit data on a device, which is created if necessary
              responses:
                "200":
                  description: The device
                  content: {application/json: {schema: {$ref: "#/components/schemas/DeviceContents"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/customers/{customer}/devices/{device}/updates:
            parameters:
              - {$ref: "#/components/parameters/environment"}
              - {$ref: "#/components/parameters/customer"}
              - {$ref: "#/components/parameters/device"}
            get:
              summary: List a device's updates; after=0 starts the app and returns unfinished transactions
              parameters:
                - {$ref: "#/components/parameters/after"}
                - {$ref: "#/components/parameters/wait"}
              responses:
                "200":
                  description: The updates
                  content: {application/json: {schema: {$ref: "#/components/schemas/DeviceUpdates"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/catalogue:
            parameters:
              - {$ref: "#/components/parameters/environment"}
            get:
              summary: Retrieve the catalogue
              responses:
                "200": {$ref: "#/components/responses/catalogue"}
                default: {$ref: "#/components/responses/error"}
            put:
              summary: Replace the catalogue
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/Catalogue"}}}
              responses:
                "200": {$ref: "#/components/responses/catalogue"}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/settings:
            parameters:
              - {$ref: "#/components/parameters/environment"}
            get:
              summary: Retrieve the settings of an environment
              responses:
                "200": {$ref: "#/components/responses/settings"}
                default: {$ref: "#/components/responses/error"}
            put:
              summary: Replace the settings of an environment
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/StoreSettings"}}}
              responses:
                "200": {$ref: "#/components/responses/settings"}
                default: {$ref: "#/components/responses/error"}
            patch:
              summary: Change some settings of an environment
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/StoreSettingsChange"}}}
              responses:
                "200": {$ref: "#/components/responses/settings"}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/notifications:
            parameters:
              - {$ref: "#/components/parameters/environment"}
            get:
              summary: List notifications, in order
              parameters:
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
                - {$ref: "#/components/parameters/ofCustomer"}
              responses:
                "200":
                  description: A page of notifications
                  content: {application/json: {schema: {$ref: "#/components/schemas/NotificationList"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/notifications/{notificationUUID}:
            parameters:
              - {$ref: "#/components/parameters/environment"}
              - {$ref: "#/components/parameters/notificationUUID"}
            get:
              summary: Retrieve the body of a notification as it is sent
              responses:
                "200":
                  description: The body
                  content: {application/json: {schema: {$ref: "#/components/schemas/NotificationBody"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/notifications/{notificationUUID}/resend:
            parameters:
              - {$ref: "#/components/parameters/environment"}
              - {$ref: "#/components/parameters/notificationUUID"}
            post:
              summary: Send a notification again
              responses:
                "200":
                  description: The notification
                  content: {application/json: {schema: {$ref: "#/components/schemas/Notification"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/notification-url:
            parameters:
              - {$ref: "#/components/parameters/environment"}
            put:
              summary: Set the notification URL
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/NotificationTarget"}}}
              responses:
                "200":
                  description: The URL
                  content: {application/json: {schema: {$ref: "#/components/schemas/NotificationTarget"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/faults:
            get:
              summary: List faults
              parameters:
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of faults
                  content: {application/json: {schema: {$ref: "#/components/schemas/ActiveFaultList"}}}
                default: {$ref: "#/components/responses/error"}
            post:
              summary: Add a fault
              parameters:
                - name: seconds
                  in: query
                  schema: {type: number, minimum: 1, maximum: 31622400}
                  description: How long it lasts by the simulator's clock, instead of until
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/Fault"}}}
              responses:
                "201":
                  description: The fault
                  content: {application/json: {schema: {$ref: "#/components/schemas/ActiveFault"}}}
                default: {$ref: "#/components/responses/error"}
            delete:
              summary: Remove all faults
              responses:
                "204": {description: The faults were removed}
                default: {$ref: "#/components/responses/error"}
          /simulator/faults/{number}:
            parameters:
              - {$ref: "#/components/parameters/number"}
            delete:
              summary: Remove a fault
              responses:
                "204": {description: The fault was removed}
                default: {$ref: "#/components/responses/error"}
          /simulator/ocsp:
            put:
              summary: Set the OCSP status of the certificates
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/RevocationSetting"}}}
              responses:
                "200":
                  description: The status
                  content: {application/json: {schema: {$ref: "#/components/schemas/RevocationSetting"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/authority/rotate:
            post:
              summary: Sign with a new leaf certificate from now on
              responses:
                "204": {description: The new certificate is in use}
                default: {$ref: "#/components/responses/error"}
          /simulator/snapshots:
            get:
              summary: List snapshots
              parameters:
                - {$ref: "#/components/parameters/page"}
                - {$ref: "#/components/parameters/limit"}
              responses:
                "200":
                  description: A page of snapshots
                  content: {application/json: {schema: {$ref: "#/components/schemas/SnapshotNameList"}}}
                default: {$ref: "#/components/responses/error"}
            post:
              summary: Create a snapshot
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/SnapshotName"}}}
              responses:
                "201":
                  description: The snapshot
                  content: {application/json: {schema: {$ref: "#/components/schemas/SnapshotName"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/snapshots/{name}/restore:
            parameters:
              - {$ref: "#/components/parameters/name"}
            post:
              summary: Restore a snapshot
              responses:
                "200": {$ref: "#/components/responses/clock"}
                default: {$ref: "#/components/responses/error"}
          /simulator/reset:
            post:
              summary: Delete all customers and purchases; settings, catalogue and URLs stay unless everything is true
              requestBody:
                content: {application/json: {schema: {$ref: "#/components/schemas/ResetRequest"}}}
              responses:
                "200": {$ref: "#/components/responses/clock"}
                default: {$ref: "#/components/responses/error"}
          /simulator/scenarios:
            post:
              summary: Run a scenario; the clock has to be frozen
              requestBody:
                required: true
                content: {application/json: {schema: {$ref: "#/components/schemas/ScenarioText"}}}
              responses:
                "200":
                  description: The result of the scenario
                  content: {application/json: {schema: {$ref: "#/components/schemas/ScenarioReport"}}}
                default: {$ref: "#/components/responses/error"}
        components:
          parameters:
            environment: {name: environment, in: path, required: true, schema: {enum: [production, sandbox]}}
            customer: {name: customer, in: path, required: true, schema: {type: string}}
            device: {name: device, in: path, required: true, schema: {type: string}}
            onDevice:
              name: device
              in: query
              schema: {type: string}
              description: "One of the customer's devices. Default: one without a name"
            after:
              name: after
              in: query
              schema: {type: integer, minimum: 0, maximum: 2147483647, default: 0}
              description: The next of an earlier response
            wait:
              name: wait
              in: query
              schema: {type: integer, minimum: 0, maximum: 60, default: 0}
              description: Seconds to wait for an update
            notificationUUID: {name: notificationUUID, in: path, required: true, schema: {type: string, format: uuid}}
            number: {name: number, in: path, required: true, schema: {type: integer}}
            name: {name: name, in: path, required: true, schema: {type: string}}
            page: {name: page, in: query, schema: {type: string}, description: The next_page of an earlier response}
            limit:
              name: limit
              in: query
              schema: {type: integer, minimum: 1, maximum: 1000, default: 100}
            ofCustomer: {name: customer, in: query, schema: {type: string}}
          responses:
            error:
              description: The request was refused
              content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}
            clock:
              description: The clock
              content: {application/json: {schema: {$ref: "#/components/schemas/Clock"}}}
            settings:
              description: The settings
              content: {application/json: {schema: {$ref: "#/components/schemas/StoreSettings"}}}
            outcome:
              description: The outcome
              content: {application/json: {schema: {$ref: "#/components/schemas/StoreOutcome"}}}
            catalogue:
              description: The catalogue
              content: {application/json: {schema: {$ref: "#/components/schemas/Catalogue"}}}
            advance:
              description: The advance
              content: {application/json: {schema: {$ref: "#/components/schemas/Advance"}}}
          schemas:
            Milliseconds: {type: integer, format: int64, description: Milliseconds since 1970}
            Error:
              type: object
              required: [object, code, message, retryable]
              properties:
                object: {type: string}
                code: {type: string}
                message: {type: string}
                retryable: {type: boolean}
                param: {type: string}
            BaseURLs:
              type: object
              required: [production, sandbox]
              properties:
                production: {type: string}
                sandbox: {type: string}
            SimulatorInformation:
              type: object
              required:
                [baseURLs, controlURL, issuerId, keyId, privateKey, bundleId, appAppleId, rootCertificates,
                 processIdentifier]
              properties:
                baseURLs: {$ref: "#/components/schemas/BaseURLs"}
                controlURL: {type: string}
                issuerId: {type: string}
                keyId: {type: string}
                privateKey: {type: string}
                bundleId: {type: string}
                appAppleId: {type: integer}
                rootCertificates: {type: array, items: {type: string}}
                processIdentifier: {type: integer}
                sharedSecret: {type: string}
            Clock:
              type: object
              required: [now, mode]
              properties:
                now: {$ref: "#/components/schemas/Milliseconds"}
                mode: {type: string}
                lastSigned:
                  $ref: "#/components/schemas/Milliseconds"
                  description: The latest `signedDate`. While the clock is frozen, each change increases it by a millisecond.
                next: {$ref: "#/components/schemas/Milliseconds"}
                nextEvent: {type: string, description: "A description of the next event, for people"}
            ClockAdvance:
              description: Either `by`, a duration such as 31d or P13M, or `to`, an instant in ISO 8601 or milliseconds
              type: object
              properties:
                by: {type: string}
                to:
                  oneOf:
                    - {type: string, format: date-time}
                    - {$ref: "#/components/schemas/Milliseconds"}
            Advance:
              description: An advance of the clock. Only one can run at a time; the last twenty are kept.
              type: object
              required: [id, state, from, target, now, notifications, delivered, failedAttempts]
              properties:
                id: {type: integer}
                state: {type: string, enum: [advancing, done, cancelled]}
                from: {$ref: "#/components/schemas/Milliseconds"}
                target: {$ref: "#/components/schemas/Milliseconds"}
                now: {$ref: "#/components/schemas/Milliseconds", description: The current time}
                notifications: {type: integer}
                delivered: {type: integer}
                failedAttempts: {type: integer}
            AdvanceReport:
              type: object
              required: [from, to, notifications, delivered, failedAttempts]
              properties:
                from: {$ref: "#/components/schemas/Milliseconds"}
                to: {$ref: "#/components/schemas/Milliseconds"}
                notifications: {type: integer}
                delivered: {type: integer}
                failedAttempts: {type: integer}
            StoreCommand:
              description: One command, keyed by its name
              type: object
              minProperties: 1
              maxProperties: 1
              additionalProperties: false
              properties:
                createCustomer:
                  type: object
                  required: [customer]
                  properties:
                    customer: {type: string}
                    storefront: {type: string}
                    firstVersion: {type: string, description: The version of the app that the account installed first}
                    firstPurchaseDate: {$ref: "#/components/schemas/Milliseconds"}
                releaseVersion:
                  type: object
                  required: [version]
                  properties:
                    version: {type: string, description: The version that new customers get}
                purchase:
                  type: object
                  required: [customer, product]
                  properties:
                    customer: {type: string}
                    product: {type: string}
                    quantity: {type: integer}
                    offer: {type: string}
                    introductory: {type: boolean}
                    appAccountToken:
                      type: [string, "null"]
                      format: uuid
                      description: >-
                        The account token of this and later purchases; null for none. Default: one derived from the seed and the
                        customer's name
                    billingPlan: {type: string}
                    device: {type: string, description: The device that buys; the other devices get an update}
                    signature:
                      description: >-
                        The signature for a promotional offer: a compact JWS, or the original format
                      oneOf:
                        - {type: string}
                        - {$ref: "#/components/schemas/OriginalOfferSignature"}
                    introductorySignature:
                      type: string
                      description: The compact JWS that decides about the introductory offer
                    sign:
                      type: boolean
                      description: >-
                        Make the simulator sign the promotional offer, or with introductory: true the introductory offer.
                        Default: false
                cancel: {$ref: "#/components/schemas/SubscriptionCommand"}
                resume: {$ref: "#/components/schemas/SubscriptionCommand"}
                failBilling:
                  type: object
                  required: [customer]
                  properties:
                    customer: {type: string}
                    subscription: {type: string, description: Only charges of this subscription fail}
                    recovers: {type: boolean, description: "Insufficient funds: a retry within 60 days succeeds"}
                fixBilling: {$ref: "#/components/schemas/SubscriptionCommand"}
                changeStorefront:
                  type: object
                  required: [customer, storefront]
                  properties:
                    customer: {type: string}
                    storefront: {type: string}
                accelerate: {$ref: "#/components/schemas/SubscriptionCommand"}
                requestRefund:
                  type: object
                  required: [customer]
                  properties:
                    customer: {type: string}
                    transaction: {type: string}
                    reason: {type: string}
                    inApp: {type: boolean}
                    note: {type: string}
                approveRefund:
                  type: object
                  required: [customer]
                  properties:
                    customer: {type: string}
                    transaction: {type: string}
                    reason: {type: integer}
                    percentage: {type: integer}
                declineRefund: {$ref: "#/components/schemas/TransactionCommand"}
                reverseRefund: {$ref: "#/components/schemas/TransactionCommand"}
                shareWithFamily: {$ref: "#/components/schemas/FamilyCommand"}
                stopSharing: {$ref: "#/components/schemas/FamilyCommand"}
                increasePrice:
                  type: object
                  required: [product, price, consent]
                  properties:
                    product: {type: string}
                    price: {type: integer}
                    consent: {type: boolean}
                    customer: {type: string}
                schedulePriceChange:
                  type: object
                  required: [product, price]
                  properties:
                    product: {type: string}
                    price: {type: integer}
                    effectiveDate: {$ref: "#/components/schemas/Milliseconds"}
                    consent: {type: boolean}
                    storefronts: {type: array, items: {type: string}}
                    preservesPrices: {type: boolean}
                acceptPrice: {$ref: "#/components/schemas/SubscriptionCommand"}
                removeFromSale: {$ref: "#/components/schemas/ProductCommand"}
                returnToSale: {$ref: "#/components/schemas/ProductCommand"}
                finish:
                  type: object
                  required: [customer]
                  properties:
                    customer: {type: string}
                    transaction: {type: string}
                    device: {type: string}
                setAppAccountToken:
                  type: object
                  required: [customer, appAccountToken]
                  properties:
                    customer: {type: string}
                    appAccountToken: {type: string, format: uuid}
                    transaction: {type: string}
                answerConsumptionRequest:
                  type: object
                  required: [customer]
                  properties:
                    customer: {type: string}
                    transaction: {type: string}
                    preference: {type: string}
                    percentage: {type: integer}
                extendRenewal:
                  type: object
                  required: [customer, days]
                  properties:
                    customer: {type: string}
                    days: {type: integer}
                    subscription: {type: string}
                    reason: {type: integer}
                extendAllRenewals:
                  type: object
                  required: [product, days]
                  properties:
                    product: {type: string}
                    days: {type: integer}
                    storefronts: {type: array, items: {type: string}}
                rescindConsent: {$ref: "#/components/schemas/CustomerCommand"}
                createExternalPurchaseToken:
                  type: object
                  properties:
                    tokenType: {type: string}
                reportExternalPurchaseToken:
                  type: object
                  required: [token]
                  properties:
                    token: {type: string}
                requestTestNotification: {type: object}
                clearHistory: {$ref: "#/components/schemas/CustomerCommand"}
                assignSeat:
                  type: object
                  required: [customer, product]
                  properties:
                    customer: {type: string}
                    product: {type: string}
                assignVolumePurchase:
                  type: object
                  required: [customer]
                  properties:
                    customer: {type: string}
                    expirationDate: {$ref: "#/components/schemas/Milliseconds"}
                revokeVolumePurchase: {$ref: "#/components/schemas/CustomerCommand"}
                refreshReceipt:
                  type: object
                  required: [customer]
                  properties:
                    customer: {type: string}
                    device: {type: string}
                subscribeAdvancedCommerce:
                  type: object
                  required: [customer, product, request]
                  properties:
                    customer: {type: string}
                    product: {type: string}
                    request: {type: object}
                chargeAdvancedCommerce:
                  type: object
                  required: [customer, product, request]
                  properties:
                    customer: {type: string}
                    product: {type: string}
                    request: {type: object}
                requestAdvancedCommerce:
                  type: object
                  required: [customer, data]
                  properties:
                    customer: {type: string}
                    data: {type: string}
                    product: {type: string}
                approveMessage: {$ref: "#/components/schemas/MessageDecision"}
                rejectMessage: {$ref: "#/components/schemas/MessageDecision"}
                approveImage: {$ref: "#/components/schemas/ImageDecision"}
                rejectImage: {$ref: "#/components/schemas/ImageDecision"}
                joinGroup:
                  type: object
                  required: [customer, group]
                  properties:
                    customer: {type: string}
                    group: {type: string}
                    organization: {type: boolean}
                    administrator: {type: boolean}
                installApp:
                  type: object
                  required: [customer, device]
                  properties:
                    customer: {type: string}
                    device: {type: string}
                    system: {type: integer, minimum: 15, maximum: 99}
                goOffline: {$ref: "#/components/schemas/DeviceCommand"}
                goOnline: {$ref: "#/components/schemas/DeviceCommand"}
                sync: {$ref: "#/components/schemas/DeviceCommand"}
                askToBuy: {$ref: "#/components/schemas/CustomerCommand"}
                stopAskingToBuy: {$ref: "#/components/schemas/CustomerCommand"}
                approvePurchase: {$ref: "#/components/schemas/PendingPurchaseCommand"}
                declinePurchase: {$ref: "#/components/schemas/PendingPurchaseCommand"}
                planPurchase:
                  type: object
                  required: [customer, device, result]
                  properties:
                    customer: {type: string}
                    device: {type: string}
                    result: {enum: [cancelled, interrupted, failed, unverified]}
                    message: {type: string}
                repeatUpdate: {$ref: "#/components/schemas/DeviceUpdateCommand"}
                holdUpdates: {$ref: "#/components/schemas/DeviceCommand"}
                releaseUpdates:
                  type: object
                  required: [customer, device]
                  properties:
                    customer: {type: string}
                    device: {type: string}
                    reversed: {type: boolean}
                breakVerification: {$ref: "#/components/schemas/DeviceUpdateCommand"}
                hideRenewals: {$ref: "#/components/schemas/DeviceCommand"}
            CustomerCommand:
              type: object
              required: [customer]
              properties:
                customer: {type: string}
            SubscriptionCommand:
              type: object
              required: [customer]
              properties:
                customer: {type: string}
                subscription: {type: string}
            TransactionCommand:
              type: object
              required: [customer]
              properties:
                customer: {type: string}
                transaction: {type: string}
            FamilyCommand:
              type: object
              required: [customer, member]
              properties:
                customer: {type: string}
                member: {type: string}
            ProductCommand:
              type: object
              required: [product]
              properties:
                product: {type: string}
            PendingPurchaseCommand:
              type: object
              required: [customer]
              properties:
                customer: {type: string}
                product: {type: string}
            DeviceCommand:
              type: object
              required: [customer, device]
              properties:
                customer: {type: string}
                device: {type: string}
            DeviceUpdateCommand:
              type: object
              required: [customer, device]
              properties:
                customer: {type: string}
                device: {type: string}
                transaction: {type: string}
            MessageDecision:
              type: object
              required: [message]
              properties:
                message: {type: string, format: uuid}
            ImageDecision:
              type: object
              required: [image]
              properties:
                image: {type: string, format: uuid}
            OriginalOfferSignature:
              type: object
              required: [keyId, nonce, timestamp, signature]
              properties:
                keyId: {type: string}
                nonce: {type: string, format: uuid}
                timestamp: {$ref: "#/components/schemas/Milliseconds"}
                signature: {type: string, description: "Base64 of DER"}
            OutcomeNotification:
              type: object
              required: [notificationType, notificationUUID]
              properties:
                notificationType: {type: string}
                notificationUUID: {type: string}
                subtype: {type: string}
                version: {const: 1, description: "A notification of version 1, with a type of that version"}
            StoreOutcome:
              type: object
              required: [environment, notifications]
              properties:
                environment: {type: string}
                notifications: {type: array, items: {$ref: "#/components/schemas/OutcomeNotification"}}
                customer: {type: string}
                transactionId: {type: string}
                originalTransactionId: {type: string}
                orderId: {type: string}
                appAccountToken: {type: string, format: uuid}
                token: {type: string}
                result: {enum: [success, pending, cancelled, failed], description: "For purchases and device commands"}
                message: {type: string, description: The error of a planned failure}
                retentionMessage: {type: object, description: The retention message that the customer saw before cancelling}
                transaction: {$ref: "#/components/schemas/SignedDeviceTransaction"}
            TriggerRequest:
              type: object
              required: [notificationType]
              properties:
                notificationType: {type: string}
                subtype: {type: string}
                product: {type: string}
                customer: {type: string}
                overrides: {type: object}
            SubscriptionState:
              type: object
              required:
                [originalTransactionId, transactionId, subscriptionGroupIdentifier, productId, status, hasAccess,
                 autoRenewStatus, autoRenewProductId, inAppOwnershipType]
              properties:
                originalTransactionId: {type: string}
                transactionId: {type: string}
                orderId: {type: string, description: Of the latest transaction}
                subscriptionGroupIdentifier: {type: string}
                productId: {type: string}
                status: {type: integer}
                hasAccess: {type: boolean}
                autoRenewStatus: {type: integer}
                autoRenewProductId: {type: string}
                inAppOwnershipType: {type: string}
                expiresDate: {$ref: "#/components/schemas/Milliseconds"}
                expirationIntent: {type: integer}
                isInBillingRetryPeriod: {type: boolean}
                gracePeriodExpiresDate: {$ref: "#/components/schemas/Milliseconds"}
                offerType: {type: integer}
                offerIdentifier: {type: string}
                priceIncreaseStatus: {type: integer}
                revocationDate: {$ref: "#/components/schemas/Milliseconds"}
            PurchaseState:
              type: object
              required: [transactionId, productId, type, quantity, purchaseDate, isFinished, inAppOwnershipType]
              properties:
                transactionId: {type: string}
                orderId: {type: string}
                productId: {type: string}
                type: {type: string}
                quantity: {type: integer}
                purchaseDate: {$ref: "#/components/schemas/Milliseconds"}
                isFinished: {type: boolean}
                inAppOwnershipType: {type: string}
                revocationDate: {$ref: "#/components/schemas/Milliseconds"}
            CustomerState:
              type: object
              required:
                [customer, storefront, appTransactionId, isBillingFailing, family, subscriptions, purchases, summary]
              properties:
                customer: {type: string}
                storefront: {type: string}
                appTransactionId: {type: string}
                appAccountToken: {type: string, format: uuid}
                isBillingFailing: {type: boolean}
                family: {type: array, items: {type: string}}
                subscriptions: {type: array, items: {$ref: "#/components/schemas/SubscriptionState"}}
                purchases: {type: array, items: {$ref: "#/components/schemas/PurchaseState"}}
                summary: {type: string}
            DevicePurchases:
              type: object
              required: [signedTransactions, signedAppTransactionInfo]
              properties:
                signedTransactions: {type: array, items: {type: string}}
                signedAppTransactionInfo: {type: string}
                receipt: {type: string}
            SignedDeviceTransaction:
              type: object
              required: [signedTransactionInfo, isVerified]
              properties:
                signedTransactionInfo: {type: string}
                isVerified: {type: boolean, description: Whether the signature is valid}
            SubscriptionStatusOnDevice:
              type: object
              required: [state, signedTransactionInfo, signedRenewalInfo, isVerified]
              properties:
                state: {type: integer}
                signedTransactionInfo: {type: string}
                signedRenewalInfo: {type: string}
                isVerified: {type: boolean}
            DeviceProduct:
              type: object
              required: [id, type, name, displayPrice, price, currency]
              properties:
                id: {type: string}
                type: {type: string}
                name: {type: string}
                displayPrice: {type: string}
                price: {type: number}
                currency: {type: string}
                subscriptionGroupIdentifier: {type: string}
            DeviceContents:
              type: object
              required:
                [customer, device, system, storefront, isOffline, all, current, unfinished, statuses, products, pending,
                 identifierForVendor]
              properties:
                customer: {type: string}
                device: {type: string}
                system: {type: integer}
                storefront: {type: string}
                isOffline: {type: boolean}
                all: {type: array, items: {$ref: "#/components/schemas/SignedDeviceTransaction"}}
                current: {type: array, items: {$ref: "#/components/schemas/SignedDeviceTransaction"}}
                unfinished: {type: array, items: {$ref: "#/components/schemas/SignedDeviceTransaction"}}
                statuses: {type: array, items: {$ref: "#/components/schemas/SubscriptionStatusOnDevice"}}
                products: {type: array, items: {$ref: "#/components/schemas/DeviceProduct"}}
                pending: {type: array, items: {type: string}, description: Products of pending purchases}
                signedAppTransactionInfo: {type: string, description: From iOS 16}
                identifierForVendor: {type: string, format: uuid, description: The identifier in the receipt}
                receipt: {type: string, description: Missing in the sandbox before the first purchase or refreshReceipt}
            DeviceUpdate:
              type: object
              properties:
                transaction: {$ref: "#/components/schemas/SignedDeviceTransaction"}
              description: A transaction; without one, a subscription's status changed
            DeviceUpdates:
              type: object
              required: [updates, next]
              properties:
                updates: {type: array, items: {$ref: "#/components/schemas/DeviceUpdate"}}
                next: {type: integer, description: Pass it as after the next time}
            DeviceReceipt:
              type: object
              required: [receipt-data, identifierForVendor]
              properties:
                receipt-data: {type: string}
                identifierForVendor: {type: string, format: uuid, description: The identifier in the receipt}
            Catalogue:
              type: object
              required: [products, groups, storefronts]
              properties:
                products: {type: array, items: {$ref: "#/components/schemas/Product"}}
                groups: {type: array, items: {$ref: "#/components/schemas/SubscriptionGroup"}}
                storefronts: {type: array, items: {$ref: "#/components/schemas/Storefront"}}
            Product:
              type: object
              required: [id, type, name, price, prices, isFamilyShareable, isOnSale, offers, isAdvancedCommerce]
              properties:
                id: {type: string}
                type: {enum: [Consumable, Non-Consumable, Non-Renewing Subscription, Auto-Renewable Subscription]}
                name: {type: string}
                price: {type: integer, description: In thousandths of the storefront's currency}
                prices: {type: object, additionalProperties: {type: integer}, description: By storefront code}
                isFamilyShareable: {type: boolean}
                isOnSale: {type: boolean}
                isAdvancedCommerce: {type: boolean}
                subscription: {type: object, description: "Group, level, period and offers of an auto-renewable subscription"}
                offers: {type: array, items: {type: object}, description: Offer codes of the other kinds of products}
            SubscriptionGroup:
              type: object
              required: [id, name]
              properties:
                id: {type: string}
                name: {type: string}
            Storefront:
              type: object
              required: [code, id, currency]
              properties:
                code: {type: string}
                id: {type: string}
                currency: {type: string}
            StoreSettings:
              description: The members of StoreSettingsChange; required members always have a value
              allOf:
                - {$ref: "#/components/schemas/StoreSettingsChange"}
                - type: object
                  required:
                    [rate, gracePeriod, graceCoversFreeOffers, renewalLead, renewalDelay, keepsDayOfMonth, notificationVersion,
                     retriesNotifications, retriesAfterBadRequest, deliveryTimeout, realtimeTimeout, refunds,
                     consumptionWindow, historyMatchesSubtypeExactly, notifiesFamilyMembers,
                     cancellationAfterPriceNoticeHasSubtype, namesAppAppleID, asksAboutAllProducts,
                     announcesLateDowngrades, announcesRenewalSwitch, massExtensionDuration, enforcesRateLimits]
            StoreSettingsChange:
              type: object
              properties:
                rate: {type: string, description: "realTime, or such as monthlyEvery5Minutes"}
                gracePeriod: {enum: ["off", threeDays, sixteenDays, twentyEightDays]}
                graceCoversFreeOffers: {type: boolean}
                renewalLead:
                  type: number
                  description: Up to how many seconds before the end of a period the next one is charged; 0 for at the end
                renewalDelay: {type: number, description: The maximum delay of a renewal in seconds; 0 for none}
                keepsDayOfMonth: {type: boolean}
                notificationVersion: {enum: [1, 2], description: The version of notifications that the app gets}
                retriesNotifications: {type: boolean}
                retriesAfterBadRequest: {type: boolean}
                deliveryTimeout: {type: number}
                realtimeTimeout: {type: number}
                refunds: {enum: [byCommand, automatic]}
                consumptionWindow: {type: number}
                historyMatchesSubtypeExactly: {type: boolean}
                notifiesFamilyMembers: {type: boolean}
                cancellationAfterPriceNoticeHasSubtype: {type: boolean}
                namesAppAppleID: {type: boolean}
                asksAboutAllProducts: {type: boolean}
                announcesLateDowngrades: {type: boolean}
                announcesRenewalSwitch: {type: boolean}
                massExtensionDuration: {type: number}
                enforcesRateLimits: {type: boolean}
                renewalCap: {type: [integer, "null"]}
                notificationURL: {type: [string, "null"]}
            Attempt:
              type: object
              required: [attemptDate, sendAttemptResult]
              properties:
                attemptDate: {$ref: "#/components/schemas/Milliseconds"}
                sendAttemptResult: {type: string}
                status: {type: integer, description: "The HTTP status, if the receiver answered"}
                answer: {type: string, description: "The first 512 bytes of the receiver's answer"}
            Notification:
              type: object
              required: [number, notificationUUID, version, notificationType, signedDate, isDelivered, isPending, attempts]
              properties:
                number: {type: integer}
                notificationUUID: {type: string}
                version: {enum: [1, 2]}
                notificationType: {type: string}
                signedDate: {$ref: "#/components/schemas/Milliseconds"}
                isDelivered: {type: boolean}
                isPending: {type: boolean}
                attempts: {type: array, items: {$ref: "#/components/schemas/Attempt"}}
                subtype: {type: string}
                customer: {type: string}
                transactionId: {type: string}
                originalTransactionId: {type: string}
                productId: {type: string}
            NotificationBody:
              oneOf:
                - {$ref: "#/components/schemas/SignedNotification"}
                - {$ref: "#/components/schemas/NotificationV1"}
            SignedNotification:
              type: object
              required: [signedPayload]
              properties:
                signedPayload: {type: string}
            NotificationV1:
              type: object
              description: A notification of version 1, as it would be sent now; Apple's page is responseBodyV1
              required: [notification_type, environment, original_transaction_id, bid, bvrs, deprecation, unified_receipt]
              properties:
                notification_type: {type: string}
                environment: {enum: [Sandbox, PROD]}
                auto_renew_adam_id: {type: string}
                auto_renew_product_id: {type: string}
                auto_renew_status: {enum: ["true", "false"]}
                auto_renew_status_change_date: {type: string}
                auto_renew_status_change_date_ms: {type: string}
                auto_renew_status_change_date_pst: {type: string}
                expiration_intent: {type: integer}
                original_transaction_id: {type: string}
                bid: {type: string}
                bvrs: {type: string}
                deprecation: {type: string}
                password: {type: string, description: The shared secret of the app}
                unified_receipt: {$ref: "#/components/schemas/UnifiedReceipt"}
            UnifiedReceipt:
              type: object
              required: [status, environment, latest_receipt_info, latest_receipt, pending_renewal_info]
              properties:
                status: {type: integer}
                environment: {enum: [Sandbox, Production]}
                latest_receipt_info: {type: array, items: {type: object}, description: The latest 100 transactions}
                latest_receipt: {type: string}
                pending_renewal_info: {type: array, items: {type: object}}
            NotificationTarget:
              type: object
              properties:
                url: {type: [string, "null"]}
            Fault:
              type: object
              required: [target, effect]
              properties:
                target:
                  type: string
                  description: "route:NAME, notification:TYPE, notification:TYPE.SUBTYPE, notification:V1.TYPE; * for all"
                effect: {type: object, minProperties: 1, maxProperties: 1}
                environment: {type: string}
                probability: {type: number, minimum: 0, maximum: 1}
                count: {type: integer}
                until: {$ref: "#/components/schemas/Milliseconds"}
            ActiveFault:
              type: object
              required: [number, struck, fault]
              properties:
                number: {type: integer}
                struck: {type: integer}
                fault: {$ref: "#/components/schemas/Fault"}
            RevocationSetting:
              type: object
              required: [status]
              properties:
                status: {enum: [good, revoked, unknown, expired, slow, wrong, unreachable]}
                certificate: {enum: [leaf, intermediate, both]}
                seconds: {type: number}
            ResetRequest:
              type: object
              properties:
                everything: {type: boolean}
            SnapshotName:
              type: object
              required: [name]
              properties:
                name: {type: string}
            ScenarioText:
              type: object
              required: [yaml]
              properties:
                yaml: {type: string}
            ScenarioStep:
              type: object
              required: [title, outcome, notifications, mismatches]
              properties:
                title: {type: string}
                outcome: {enum: [passed, failed, skipped]}
                notifications: {type: array, items: {type: string}}
                mismatches: {type: array, items: {type: string}}
                line: {type: integer}
            ScenarioReport:
              type: object
              required: [name, passed, steps]
              properties:
                name: {type: string}
                passed: {type: boolean}
                steps: {type: array, items: {$ref: "#/components/schemas/ScenarioStep"}}
            CustomerStateList:
              type: object
              required: [object, items]
              properties:
                object: {type: string}
                items: {type: array, items: {$ref: "#/components/schemas/CustomerState"}}
                next_page: {type: string}
            NotificationList:
              type: object
              required: [object, items]
              properties:
                object: {type: string}
                items: {type: array, items: {$ref: "#/components/schemas/Notification"}}
                next_page: {type: string}
            ActiveFaultList:
              type: object
              required: [object, items]
              properties:
                object: {type: string}
                items: {type: array, items: {$ref: "#/components/schemas/ActiveFault"}}
                next_page: {type: string}
            SnapshotNameList:
              type: object
              required: [object, items]
              properties:
                object: {type: string}
                items: {type: array, items: {$ref: "#/components/schemas/SnapshotName"}}
                next_page: {type: string}

        """#
}
