import AppStoreServer
import Foundation
import Testing
import Yams

@testable import StoreSimulator

/// Compares every schema of the control API with the type that is decoded or encoded.
@Suite struct ControlSchemaTests {
    typealias Object = [String: Any]

    /// A type that a schema describes.
    private struct Model: Sendable {
        /// Decodes a value as the control API does, refusing unknown members. Returns the names of the value's members.
        let read: @Sendable (Data) throws -> Set<String>

        init<Value: Codable & Sendable>(_ type: Value.Type) {
            read = { members(of: try ControlJSON.decode(type, from: $0)) }
        }
    }

    private static let models: [String: Model] = [
        "BaseURLs": Model(SimulatorInformation.BaseURLs.self), "SimulatorInformation": Model(SimulatorInformation.self),
        "Clock": Model(ClockReading.self), "ClockAdvance": Model(ClockAdvance.self), "Advance": Model(Advance.self),
        "AdvanceReport": Model(AdvanceReport.self), "OriginalOfferSignature": Model(OfferSignature.self),
        "OutcomeNotification": Model(StoreOutcome.Notification.self), "StoreOutcome": Model(StoreOutcome.self),
        "TriggerRequest": Model(TriggerRequest.self), "SubscriptionState": Model(CustomerState.SubscriptionState.self),
        "PurchaseState": Model(CustomerState.PurchaseState.self), "CustomerState": Model(CustomerState.self),
        "DevicePurchases": Model(DevicePurchases.self), "SignedDeviceTransaction": Model(SignedDeviceTransaction.self),
        "SubscriptionStatusOnDevice": Model(DeviceContents.Status.self),
        "DeviceProduct": Model(DeviceContents.DeviceProduct.self), "DeviceContents": Model(DeviceContents.self),
        "DeviceUpdate": Model(DeviceUpdates.Update.self), "DeviceUpdates": Model(DeviceUpdates.self),
        "DeviceReceipt": Model(DeviceReceipt.self), "Catalogue": Model(Catalogue.self), "Product": Model(Product.self),
        "SubscriptionGroup": Model(SubscriptionGroup.self), "Storefront": Model(Storefront.self),
        "StoreSettings": Model(StoreSettings.self), "Attempt": Model(NotificationSummaryLine.Attempt.self),
        "Notification": Model(NotificationSummaryLine.self), "NotificationTarget": Model(NotificationTarget.self),
        "Fault": Model(Fault.self), "ActiveFault": Model(FaultRegistry.Entry.self),
        "RevocationSetting": Model(RevocationSetting.self),
        "ResetRequest": Model(ResetRequest.self), "SnapshotName": Model(SnapshotName.self),
        "ScenarioText": Model(ScenarioText.self), "ScenarioStep": Model(ScenarioReport.Step.self),
        "ScenarioReport": Model(ScenarioReport.self), "CustomerStateList": Model(ControlList<CustomerState>.self),
        "NotificationList": Model(ControlList<NotificationSummaryLine>.self),
        "ActiveFaultList": Model(ControlList<FaultRegistry.Entry>.self),
        "SnapshotNameList": Model(ControlList<SnapshotName>.self),
    ]

    /// Schemas that no type is decoded from. The tests below compare them with responses.
    private static let schemasWithoutType: Set = [
        "Milliseconds", "StoreCommand", "StoreSettingsChange", "Error", "NotificationBody", "SignedNotification",
        "NotificationV1", "UnifiedReceipt", "CustomerCommand", "SubscriptionCommand", "TransactionCommand",
        "FamilyCommand", "ProductCommand", "PendingPurchaseCommand", "DeviceCommand", "DeviceUpdateCommand",
        "MessageDecision", "ImageDecision", "FaultEffect", "ErrorCode",
    ]

    @Test func `Every schema of the control API has a type or a test`() throws {
        let schemas = try Description()
        #expect(Set(schemas.names) == Set(Self.models.keys).union(Self.schemasWithoutType))
    }

    @Test(arguments: models.keys.sorted())
    func `A schema has exactly the members of its type`(_ name: String) throws {
        let (model, description) = (try #require(Self.models[name]), try Description())
        let schema = try description.schema(name)
        let described = Set(try description.properties(of: schema).keys)
        let sample = try description.sample(schema, at: name)
        #expect(try model.read(JSONSerialization.data(withJSONObject: sample)) == described)
        // Members that are not required may be missing; required ones may not.
        let required = try description.required(by: schema)
        let complete = try #require(sample as? Object)
        let requiredOnly = complete.filter { required.contains($0.key) }
        #expect(Set(requiredOnly.keys) == required, "\(name) requires members that it does not describe")
        _ = try model.read(JSONSerialization.data(withJSONObject: requiredOnly))
        for member in required {
            let part = try JSONSerialization.data(withJSONObject: complete.filter { $0.key != member })
            #expect(throws: (any Error).self, "\(name) without \(member)") { try model.read(part) }
        }
    }

    @Test(arguments: StoreCommand.names)
    func `The schema of a command has exactly the members of the command`(_ name: String) throws {
        let description = try Description()
        let schema = try #require(try description.properties(of: description.schema("StoreCommand"))[name])
        let sample = try description.sample(schema, at: name)
        func members(_ object: Any) throws -> Set<String> {
            let data = try JSONSerialization.data(withJSONObject: [name: object])
            let command = try ControlJSON.decode(StoreCommand.self, from: data)
            return StoreSimulatorTests.members(of: command)
        }
        let required = try description.required(by: schema)
        let complete = try #require(sample as? Object)
        #expect(try members(complete) == Set(try description.properties(of: schema).keys))
        _ = try members(complete.filter { required.contains($0.key) })
        for member in required {
            #expect(throws: (any Error).self) { try members(complete.filter { $0.key != member }) }
        }
    }

    @Test func `Each setting of the change schema can be changed alone`() throws {
        let description = try Description()
        let change = try description.schema("StoreSettingsChange")
        #expect(try description.required(by: change).isEmpty)
        for (name, schema) in try description.properties(of: change) {
            let value = try description.sample(schema, at: "StoreSettings." + name)
            let json = try JSONDecoder().decode(
                JSONValue.self, from: JSONSerialization.data(withJSONObject: [name: value]))
            _ = try StoreSettings.production.merging(json)
        }
    }

    @Test func `The schema of an effect has exactly the effects of faults with their numbers`() throws {
        let description = try Description()
        let effects = try description.properties(of: description.schema("FaultEffect"))
        #expect(Set(effects.keys) == Set(Fault.Effect.names))
        for (name, effect) in effects {
            func check(_ value: Any) throws {
                let fault: Object = ["target": "route:*", "effect": [name: value]]
                try ControlJSON.decode(Fault.self, from: JSONSerialization.data(withJSONObject: fault)).check()
            }
            let numbers = try description.properties(of: effect)
            #expect(Set(numbers.keys) == Set([Fault.Effect.numberMembers[name]].compactMap(\.self)), "\(name)")
            #expect(try description.required(by: effect) == Set(numbers.keys), "\(name)")
            for (member, schema) in numbers where schema["minimum"] != nil {
                try Self.expectLimits(of: schema, at: name) { try check([member: $0]) }
            }
        }
    }

    @Test func `Every number of the settings has the limits of its schema`() throws {
        let description = try Description()
        var checked = 0
        for (name, schema) in try description.properties(of: description.schema("StoreSettingsChange")) {
            let types = schema["type"] as? [String] ?? [schema["type"] as? String].compactMap(\.self)
            guard types.contains("number") || types.contains("integer") else { continue }
            checked += 1
            try Self.expectLimits(of: schema, at: name) { value in
                let change = try JSONSerialization.data(withJSONObject: [name: value])
                _ = try StoreSettings.production.merging(JSONDecoder().decode(JSONValue.self, from: change))
            }
        }
        #expect(checked > 5)
    }

    @Test func `A setting out of range does not prevent a change of another one`() throws {
        var settings = StoreSettings.production
        settings.realtimeTimeout = 7200
        let changed = try settings.merging(.object(["maximumRenewalLeadTime": .integer(5)]))
        #expect(changed.maximumRenewalLeadTime == 5 && changed.realtimeTimeout == 7200)
        let error = #expect(throws: ControlFailure.self) {
            try settings.merging(.object(["maximumRenewalLeadTime": .integer(5), "realtimeTimeout": .integer(7201)]))
        }
        #expect(error?.param == "realtimeTimeout")
    }

    /// Expects that the limits of a schema are accepted, and numbers beyond them refused.
    private static func expectLimits(of schema: Object, at path: String, _ check: (Double) throws -> Void) throws {
        func limit(_ name: String) throws -> Double {
            try #require(schema[name] as? Double ?? (schema[name] as? Int).map { Double($0) }, "\(path) \(name)")
        }
        let (minimum, maximum) = (try limit("minimum"), try limit("maximum"))
        for value in [minimum, maximum] { #expect(throws: Never.self, "\(path) \(value)") { try check(value) } }
        for value in [minimum - 1, maximum + 1] {
            #expect(throws: (any Error).self, "\(path) \(value)") { try check(value) }
        }
    }

    @Test func `Errors and notification bodies have the members of their schemas`() async throws {
        let description = try Description()
        func expect(_ object: Any?, _ name: String) throws {
            let object = try #require(object as? Object)
            let schema = try description.schema(name)
            let described = Set(try description.properties(of: schema).keys)
            #expect(Set(object.keys).subtracting(described).isEmpty, "\(name)")
            #expect(try description.required(by: schema).subtracting(object.keys).isEmpty, "\(name)")
        }
        try await Simulator.run { simulator in
            func get(_ path: String) async throws -> Object {
                let answer = try await AsyncHTTPClientTransport().send(
                    HTTPTransportRequest(
                        method: "GET", url: simulator.information.controlURL + "/production" + path,
                        timeout: .seconds(600)))
                return try #require(try JSONSerialization.jsonObject(with: answer.body) as? Object)
            }
            try expect(try await get("/customers/nobody"), "Error")
            try expect(try await get("/customers?limit=0"), "Error")
            let bought = try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly"))
            try expect(
                try await get("/notifications/" + (bought.notifications.first?.notificationUUID ?? "")),
                "SignedNotification")
            simulator.configure { $0.notificationVersion = .one }
            let cancelled = try await simulator.perform(.cancel(customer: "anna"))
            let body = try await get("/notifications/" + (cancelled.notifications.first?.notificationUUID ?? ""))
            try expect(body, "NotificationV1")
            try expect(body["unified_receipt"], "UnifiedReceipt")
        }
    }
}

/// Returns the JSON names of a value's members; for a command, those of its payload.
private func members(of value: Any) -> Set<String> {
    let renamed = [
        "receiptData": "receipt-data", "nextPage": "next_page",
        "sandboxIncludesAppAppleID": "sandboxIncludesAppAppleID",
    ]
    var mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .enum {
        guard let payload = mirror.children.first?.value else { return [] }
        mirror = Mirror(reflecting: payload)
    }
    // JSON spells identifiers as Apple does, with `Id`.
    return Set(
        mirror.children.compactMap(\.label).map { name in
            renamed[name] ?? (name.hasSuffix("UUID") ? name : name.replacing(/ID(?=s?$)/, with: "Id"))
        })
}

/// The OpenAPI description, and sample values of its schemas.
private struct Description {
    typealias Object = [String: Any]

    private let schemas: Object

    init() throws {
        let document = try #require(try Yams.load(yaml: ControlDescription.text) as? Object)
        let components = try #require(document["components"] as? Object)
        schemas = try #require(components["schemas"] as? Object)
    }

    var names: [String] { Array(schemas.keys) }

    func schema(_ name: String) throws -> Object { try #require(schemas[name] as? Object, "\(name)") }

    /// Returns the schema itself, or the schema that it refers to.
    private func resolve(_ schema: Object) throws -> Object {
        guard let reference = schema["$ref"] as? String, let name = reference.split(separator: "/").last else {
            return schema
        }
        return try self.schema(String(name))
    }

    func properties(of schema: Object) throws -> [String: Object] {
        let schema = try resolve(schema)
        var all = (schema["properties"] as? [String: Object]) ?? [:]
        for part in (schema["allOf"] as? [Object]) ?? [] { all.merge(try properties(of: part)) { $1 } }
        return all
    }

    func required(by schema: Object) throws -> Set<String> {
        let schema = try resolve(schema)
        var all = Set((schema["required"] as? [String]) ?? [])
        for part in (schema["allOf"] as? [Object]) ?? [] { all.formUnion(try required(by: part)) }
        return all
    }

    /// Returns a sample for a path whose schema is too general to derive one.
    private static func fixedSample(_ path: String) throws -> Any? {
        switch path {
        case "StoreSettings.rate", "StoreSettingsChange.rate": "realTime"
        case "StoreSettings.notificationURL": "http://127.0.0.1/notifications"
        case "Fault.effect": ["drop": Object()]
        case "Product.offers": [Any]()
        case "Product.subscription", "StoreOutcome.retentionMessage": NSNull()
        case "subscribeAdvancedCommerce.request": try object(.create)
        case "chargeAdvancedCommerce.request": try object(.charge)
        default: nil
        }
    }

    private static func object(_ request: AdvancedCommerceSample.Request) throws -> Any {
        let json = AdvancedCommerceSample.json(request).replacing(#""appAccountToken":"","#, with: "")
        return try JSONSerialization.jsonObject(with: Data(json.utf8))
    }

    /// Returns a value with all members that a schema describes.
    func sample(_ schema: Object, at path: String) throws -> Any {
        if let sample = try Self.fixedSample(path) { return sample }
        if let reference = schema["$ref"] as? String, let name = reference.split(separator: "/").last {
            return try sample(try self.schema(String(name)), at: String(name))
        }
        if let value = schema["const"] ?? (schema["enum"] as? [Any])?.first { return value }
        if let choices = schema["oneOf"] as? [Object], let last = choices.last { return try sample(last, at: path) }
        let type = schema["type"] as? String ?? (schema["type"] as? [String])?.first ?? "object"
        switch type {
        case "integer", "number": return 1
        case "boolean": return true
        case "array": return [try sample(try #require(schema["items"] as? Object, "\(path)"), at: path)]
        case "string": return schema["format"] as? String == "uuid" ? "2b4e6f80-1c3d-4e5f-8a9b-0c1d2e3f4a5b" : "x"
        default:
            var object: Object = [:]
            for (name, property) in try properties(of: schema) {
                object[name] = try sample(property, at: path + "." + name)
            }
            return object
        }
    }
}
