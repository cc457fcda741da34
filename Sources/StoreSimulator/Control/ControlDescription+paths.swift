extension ControlDescription {
    static let paths = #"""
          /simulator:
            get:
              summary: Where the simulator is and what a program needs to talk to it
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/SimulatorInformation"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/openapi.yaml:
            get:
              summary: This description
              responses:
                "200": {description: OpenAPI 3.1, content: {application/yaml: {schema: {type: object, required: [openapi, paths]}}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/clock:
            get:
              summary: What the clock shows
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/Clock"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/clock/advance:
            post:
              summary: Put the clock forward; everything until then has happened and was announced when this answers
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/ClockAdvance"}}}}
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/AdvanceReport"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/settle:
            post:
              summary: Wait until every notification that is due has been sent
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/Clock"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/commands:
            parameters: [{$ref: "#/components/parameters/environment"}]
            post:
              summary: Let something happen in the store
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/StoreCommand"}}}}
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/StoreOutcome"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/trigger:
            parameters: [{$ref: "#/components/parameters/environment"}]
            post:
              summary: Cause one kind of notification, with whatever has to come before it
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/TriggerRequest"}}}}
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/StoreOutcome"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/customers:
            parameters: [{$ref: "#/components/parameters/environment"}]
            get:
              summary: What all customers have, by name
              parameters: [{$ref: "#/components/parameters/page"}, {$ref: "#/components/parameters/limit"}]
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/CustomerStateList"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/customers/{customer}:
            parameters: [{$ref: "#/components/parameters/environment"}, {$ref: "#/components/parameters/customer"}]
            get:
              summary: What a customer has
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/CustomerState"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/customers/{customer}/purchases:
            parameters: [{$ref: "#/components/parameters/environment"}, {$ref: "#/components/parameters/customer"}]
            get:
              summary: What an app on the customer's device holds, signed
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/DevicePurchases"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/customers/{customer}/receipt:
            parameters: [{$ref: "#/components/parameters/environment"}, {$ref: "#/components/parameters/customer"}]
            get:
              summary: The unified receipt on the customer's device
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/DeviceReceipt"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/catalogue:
            parameters: [{$ref: "#/components/parameters/environment"}]
            get:
              summary: What is sold
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/Catalogue"}}}
                default: {$ref: "#/components/responses/error"}
            put:
              summary: Sell something else from now on
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Catalogue"}}}}
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/Catalogue"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/settings:
            parameters: [{$ref: "#/components/parameters/environment"}]
            get:
              summary: How the environment behaves
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/StoreSettings"}}}
                default: {$ref: "#/components/responses/error"}
            put:
              summary: Change how the environment behaves from now on
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/StoreSettings"}}}}
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/StoreSettings"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/notifications:
            parameters: [{$ref: "#/components/parameters/environment"}]
            get:
              summary: Every notification, in order
              parameters: [{$ref: "#/components/parameters/page"}, {$ref: "#/components/parameters/limit"}, {$ref: "#/components/parameters/ofCustomer"}]
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/NotificationList"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/notifications/{notificationUUID}:
            parameters: [{$ref: "#/components/parameters/environment"}, {$ref: "#/components/parameters/notificationUUID"}]
            get:
              summary: The signed text of a notification
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/SignedNotification"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/notifications/{notificationUUID}/resend:
            parameters: [{$ref: "#/components/parameters/environment"}, {$ref: "#/components/parameters/notificationUUID"}]
            post:
              summary: Send a notification once more, now
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/Notification"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/{environment}/notification-url:
            parameters: [{$ref: "#/components/parameters/environment"}]
            put:
              summary: Set where notifications go
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/NotificationTarget"}}}}
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/NotificationTarget"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/faults:
            get:
              summary: What goes wrong on purpose
              parameters: [{$ref: "#/components/parameters/page"}, {$ref: "#/components/parameters/limit"}]
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/FaultLineList"}}}
                default: {$ref: "#/components/responses/error"}
            post:
              summary: Let something go wrong on purpose
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Fault"}}}}
              responses:
                "201":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/FaultLine"}}}
                default: {$ref: "#/components/responses/error"}
            delete:
              summary: Switch every fault off
              responses:
                "204": {description: Done}
                default: {$ref: "#/components/responses/error"}
          /simulator/faults/{number}:
            parameters: [{$ref: "#/components/parameters/number"}]
            delete:
              summary: Switch one fault off
              responses:
                "204": {description: Done}
                default: {$ref: "#/components/responses/error"}
          /simulator/ocsp:
            put:
              summary: Say how questions about revocation are answered
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/RevocationSetting"}}}}
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/RevocationSetting"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/authority/rotate:
            post:
              summary: Sign with a new leaf certificate from now on
              responses:
                "204": {description: Done}
                default: {$ref: "#/components/responses/error"}
          /simulator/snapshots:
            get:
              summary: The names of the snapshots
              parameters: [{$ref: "#/components/parameters/page"}, {$ref: "#/components/parameters/limit"}]
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/SnapshotNameList"}}}
                default: {$ref: "#/components/responses/error"}
            post:
              summary: Keep everything under a name
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/SnapshotName"}}}}
              responses:
                "201":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/SnapshotName"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/snapshots/{name}/restore:
            parameters: [{$ref: "#/components/parameters/name"}]
            post:
              summary: Put everything back as it was
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/Clock"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/reset:
            post:
              summary: Forget everything and begin again
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/Clock"}}}
                default: {$ref: "#/components/responses/error"}
          /simulator/scenarios:
            post:
              summary: Run a scenario; the clock has to be frozen
              requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/ScenarioText"}}}}
              responses:
                "200":
                  description: Done
                  content: {application/json: {schema: {$ref: "#/components/schemas/ScenarioReport"}}}
                default: {$ref: "#/components/responses/error"}

        """#
}
