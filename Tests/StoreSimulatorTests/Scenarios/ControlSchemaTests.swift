import AppStoreServer
import Foundation
import Testing
import Yams

@testable import StoreSimulator

/// Every schema of the control API against the type that is read or written.
@Suite struct ControlSchemaTests {
    typealias Object = [String: Any]

    /// A type that a schema describes.
    private struct Kind: Sendable {
        /// Reads a value as the control API does, unknown members refused, and gives the names of its members.
        let read: @Sendable (Data) throws -> Set<String>

        init<Value: Codable & Sendable>(_ type: Value.Type) {
            read = { members(of: try ControlJSON.decode(type, from: $0)) }
        }
    }

    private static let kinds: [String: Kind] = [
        "BaseURLs": Kind(SimulatorInformation.BaseURLs.self), "SimulatorInformation": Kind(SimulatorInformation.self),
        "Clock": Kind(ClockReading.self), "ClockAdvance": Kind(ClockAdvance.self), "Advance": Kind(Advance.self),
        "AdvanceReport": Kind(AdvanceReport.self), "OriginalOfferSignature": Kind(OfferSignature.self),
        "Announcement": Kind(StoreOutcome.Announcement.self), "StoreOutcome": Kind(StoreOutcome.self),
        "TriggerRequest": Kind(TriggerRequest.self), "SubscriptionState": Kind(CustomerState.SubscriptionState.self),
        "PurchaseState": Kind(CustomerState.PurchaseState.self), "CustomerState": Kind(CustomerState.self),
        "DevicePurchases": Kind(DevicePurchases.self), "SignedDeviceTransaction": Kind(SignedDeviceTransaction.self),
        "SubscriptionStatusOnDevice": Kind(DeviceContents.Status.self),
        "SoldProduct": Kind(DeviceContents.SoldProduct.self), "DeviceContents": Kind(DeviceContents.self),
        "DeviceUpdate": Kind(DeviceUpdates.Update.self), "DeviceUpdates": Kind(DeviceUpdates.self),
        "DeviceReceipt": Kind(DeviceReceipt.self), "Catalogue": Kind(Catalogue.self), "Product": Kind(Product.self),
        "SubscriptionGroup": Kind(SubscriptionGroup.self), "Storefront": Kind(Storefront.self),
        "StoreSettings": Kind(StoreSettings.self), "Attempt": Kind(NotificationSummaryLine.Attempt.self),
        "Notification": Kind(NotificationSummaryLine.self), "NotificationTarget": Kind(NotificationTarget.self),
        "Fault": Kind(Fault.self), "FaultLine": Kind(FaultLine.self), "RevocationSetting": Kind(RevocationSetting.self),
        "ResetRequest": Kind(ResetRequest.self), "SnapshotName": Kind(SnapshotName.self),
        "ScenarioText": Kind(ScenarioText.self), "ScenarioStep": Kind(ScenarioReport.Step.self),
        "ScenarioReport": Kind(ScenarioReport.self), "CustomerStateList": Kind(ControlList<CustomerState>.self),
        "NotificationList": Kind(ControlList<NotificationSummaryLine>.self),
        "FaultLineList": Kind(ControlList<FaultLine>.self), "SnapshotNameList": Kind(ControlList<SnapshotName>.self),
    ]

    /// Those that no type is decoded from; the tests below hold them to what is really answered.
    private static let others: Set = [
        "Milliseconds", "StoreCommand", "StoreSettingsChange", "Error", "NotificationBody", "SignedNotification",
        "NotificationV1", "UnifiedReceipt",
    ]

    @Test func `has a type for each schema`() throws {
        let schemas = try Description()
        #expect(Set(schemas.names) == Set(Self.kinds.keys).union(Self.others))
    }

    @Test(arguments: kinds.keys.sorted())
    func `has the members of its type, and no other`(_ name: String) throws {
        let (kind, description) = (try #require(Self.kinds[name]), try Description())
        let schema = try description.schema(name)
        let described = Set(try description.properties(of: schema).keys)
        let sample = try description.sample(schema, at: name)
        #expect(try kind.read(JSONSerialization.data(withJSONObject: sample)) == described)
        // What is not required may be left out, and what is required may not.
        let required = try description.required(by: schema)
        let whole = try #require(sample as? Object)
        let rest = whole.filter { required.contains($0.key) }
        #expect(Set(rest.keys) == required, "\(name) requires what it does not describe")
        _ = try kind.read(JSONSerialization.data(withJSONObject: rest))
        for member in required.subtracting(Self.lenient[name] ?? []) {
            let part = try JSONSerialization.data(withJSONObject: whole.filter { $0.key != member })
            #expect(throws: (any Error).self, "\(name) without \(member)") { try kind.read(part) }
        }
    }

    /// What is always there in an answer, and may be left out in a request or a file of an older version.
    private static let lenient: [String: Set<String>] = [
        "StoreSettings": [
            "renewalLead", "renewalDelay", "keepsDayOfMonth", "announcesRenewalSwitch", "notificationVersion",
        ]
    ]

    @Test(arguments: StoreCommand.names)
    func `has the members of each command, and no other`(_ name: String) throws {
        let description = try Description()
        let schema = try #require(try description.properties(of: description.schema("StoreCommand"))[name])
        let sample = try description.sample(schema, at: name)
        func members(_ object: Any) throws -> Set<String> {
            let data = try JSONSerialization.data(withJSONObject: [name: object])
            let command = try ControlJSON.decode(StoreCommand.self, from: data)
            return StoreSimulatorTests.members(of: command)
        }
        let required = try description.required(by: schema)
        let whole = try #require(sample as? Object)
        #expect(try members(whole) == Set(try description.properties(of: schema).keys))
        _ = try members(whole.filter { required.contains($0.key) })
        for member in required {
            #expect(throws: (any Error).self) { try members(whole.filter { $0.key != member }) }
        }
    }

    @Test func `has each setting among those that can be changed, alone`() throws {
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

    @Test func `has the members of refusals and of what is posted to servers`() async throws {
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
                    HTTPTransportRequest(method: "GET", url: simulator.information.controlURL + "/production" + path))
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

/// The names of a value's members as JSON has them; of a command's, those of its case.
private func members(of value: Any) -> Set<String> {
    let renamed = [
        "receiptData": "receipt-data", "nextPage": "next_page", "namesAppAppleID": "namesAppAppleID",
    ]
    var mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .enum {
        guard let payload = mirror.children.first?.value else { return [] }
        mirror = Mirror(reflecting: payload)
    }
    // JSON has Apple's spelling of identifiers.
    return Set(
        mirror.children.compactMap(\.label).map { name in
            renamed[name] ?? (name.hasSuffix("UUID") ? name : name.replacing(/ID(?=s?$)/, with: "Id"))
        })
}

/// The file, and samples of what it describes.
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

    /// The schema itself, or the one that it refers to.
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

    /// What no description says closely enough to make a sample of it.
    private static func given(_ path: String) -> Any? {
        switch path {
        case "StoreSettings.rate", "StoreSettingsChange.rate": "realTime"
        case "StoreSettings.notificationURL": "http://127.0.0.1/notifications"
        case "Fault.effect": ["drop": Object()]
        case "Product.offers": [Any]()
        case "Product.subscription", "StoreOutcome.retentionMessage": NSNull()
        case "subscribeAdvancedCommerce.request": object(.create)
        case "chargeAdvancedCommerce.request": object(.charge)
        default: nil
        }
    }

    private static func object(_ request: AdvancedCommerceSample.Request) -> Any {
        let json = AdvancedCommerceSample.json(request).replacing(#""appAccountToken":"","#, with: "")
        return (try? JSONSerialization.jsonObject(with: Data(json.utf8))) ?? Object()
    }

    /// A value with all the members that a schema describes.
    func sample(_ schema: Object, at path: String) throws -> Any {
        if let sample = Self.given(path) { return sample }
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
