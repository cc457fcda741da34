import AppStoreModels
import AppStoreReceipts
import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator
import Testing

/// Receipts as a client of the control API reads them.
@Suite struct `Receipts by the control API` {
    private struct ReceiptResponse: Decodable {
        let receipt: String
        let identifierForVendor: UUID

        enum CodingKeys: String, CodingKey {
            case receipt = "receipt-data"
            case identifierForVendor
        }
    }

    /// Sends a request to the control API. Returns status and body.
    private static func call(
        _ simulator: Simulator, _ path: String, _ body: String? = nil
    ) async throws -> (status: Int, body: Data) {
        let answer = try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(
                method: body == nil ? "GET" : "POST", url: simulator.information.controlURL + path,
                headers: body == nil ? [] : [("Content-Type", "application/json")], body: body.map { Data($0.utf8) },
                timeout: .seconds(600)))
        return (answer.status, answer.body)
    }

    private static func object(_ data: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private static func octets(_ id: UUID) -> Data { withUnsafeBytes(of: id.uuid) { Data($0) } }

    @Test func `A receipt response names the device that the receipt is bound to`() async throws {
        try await Simulator.run {
            $0.createsReceiptAuthorityAtStart = true
        } _: { simulator in
            try await simulator.buy("com.example.unlock")
            let now = simulator.now
            let validator = ReceiptValidator(
                anchors: try TrustAnchors(contentsOf: simulator.information.rootCertificates.map { URL(filePath: $0) }),
                now: { now })
            var seen: Set<UUID> = []
            for query in ["", "?device=phone", "?device=tablet"] {
                let answer = try await Self.call(simulator, "/production/customers/anna/receipt" + query)
                let response = try JSONDecoder().decode(ReceiptResponse.self, from: answer.body)
                _ = try validator.validate(
                    base64: response.receipt, deviceID: Self.octets(response.identifierForVendor))
                seen.insert(response.identifierForVendor)
            }
            #expect(seen.count == 3)
            let phone = try await Self.call(simulator, "/production/customers/anna/devices/phone")
            let contents = try JSONDecoder().decode(DeviceContents.self, from: phone.body)
            #expect(seen.contains(contents.identifierForVendor))
            let receipt = try #require(contents.receipt)
            _ = try validator.validate(base64: receipt, deviceID: Self.octets(contents.identifierForVendor))
            for other in seen.subtracting([contents.identifierForVendor]) {
                let error = #expect(throws: VerificationError.self) {
                    try validator.validate(base64: receipt, deviceID: Self.octets(other))
                }
                #expect(error?.code == .wrongDevice)
            }
            let blank = try await Self.call(simulator, "/production/customers/anna/receipt?device=")
            #expect(blank.status == 400)
        }
    }

    @Test func `verifyReceipt answers methods other than POST with HTTP status 200 and its own status`() async throws {
        try await Simulator.run { simulator in
            let url = simulator.information.baseURLs.production + "/verifyReceipt"
            for method in ["GET", "PUT", "PATCH", "DELETE"] {
                let answer = try await AsyncHTTPClientTransport().send(
                    HTTPTransportRequest(method: method, url: url, timeout: .seconds(600)))
                #expect(answer.status == 200, "\(method)")
                let status = try Self.object(answer.body)["status"] as? Int
                #expect(status == 21000, "\(method)")
            }
        }
    }

    @Test(arguments: [(21005, nil), (21009, nil), (21100, true), (21199, true)] as [(Int64, Bool?)])
    func `A fault makes verifyReceipt answer with a status of the App Store's failures`(
        _ code: Int64, _ isRetryable: Bool?
    ) async throws {
        try await Simulator.run { simulator in
            try simulator.add(Fault("route:verifyReceipt", .error(code: code)))
            let answer = simulator.core.verifyReceipt(Data("{}".utf8), in: .production)
            #expect(answer.status == 200)
            let object = try Self.object(Data(answer.body))
            #expect(object["status"] as? Int == Int(code))
            #expect(object["is-retryable"] as? Bool == isRetryable)
        }
    }

    @Test(
        arguments: [
            ("route:verifyReceipt", 0), ("route:verifyReceipt", 21001), ("route:verifyReceipt", 21006),
            ("route:verifyReceipt", 21011), ("route:verifyReceipt", 21200), ("route:verifyReceipt", 5_000_001),
            ("route:transaction", 21005), ("route:*", 21005),
        ] as [(String, Int64)])
    func `A fault with a number that the route does not know is refused`(_ target: String, _ code: Int64) async throws {
        try await Simulator.run { simulator in
            let refused = #expect(throws: SimulatorError.self) {
                try simulator.add(Fault(target, .error(code: code)))
            }
            #expect(refused?.code == .invalidFault)
        }
    }

    @Test func `A sandbox receipt is missing until the customer refreshes it`() async throws {
        try await Simulator.run { simulator in
            let path = "/sandbox/customers/anna/receipt"
            _ = try await Self.call(simulator, "/sandbox/commands", #"{"createCustomer":{"customer":"anna"}}"#)
            let none = try await Self.call(simulator, path)
            #expect(none.status == 409)
            #expect(try Self.object(none.body)["code"] as? String == "no_receipt")
            let phone = try await Self.call(simulator, "/sandbox/customers/anna/devices/phone")
            #expect(try Self.object(phone.body)["receipt"] == nil)
            let refreshed = try await Self.call(
                simulator, "/sandbox/commands", #"{"refreshReceipt":{"customer":"anna","device":"phone"}}"#)
            #expect(try Self.object(refreshed.body)["result"] as? String == "success")
            #expect(try await Self.call(simulator, path).status == 200)
        }
    }

    @Test func `Purchases have order identifiers, and pending purchases get one on approval`() async throws {
        try await Simulator.run { simulator in
            let bought = try await Self.call(
                simulator, "/production/commands",
                #"{"purchase":{"customer":"anna","product":"premium.monthly","introductory":false}}"#)
            let order = try #require(try Self.object(bought.body)["orderId"] as? String)
            let lookup = try await simulator.client().order(order)
            #expect(lookup.signedTransactions?.count == 1)
            try await simulator.buy("com.example.unlock")
            let state = try simulator.state(of: "anna")
            #expect(state.subscriptions.map(\.orderID) == [order])
            let unlocked = try #require(state.purchases.first?.orderID)
            #expect(unlocked != order)
            #expect(try await simulator.client().order(unlocked).signedTransactions?.count == 1)
            // Ask to Buy, and a purchase that the customer has to finish outside the app.
            for (command, customer) in [
                (#"{"askToBuy":{"customer":"ben"}}"#, "ben"),
                (#"{"setNextPurchaseResult":{"customer":"carl","device":"phone","result":"interrupted"}}"#, "carl"),
            ] {
                #expect(try await Self.call(simulator, "/production/commands", command).status == 200)
                let purchase = #"{"purchase":{"customer":"\#(customer)","product":"unlock","device":"phone"}}"#
                let waiting = try Self.object(try await Self.call(simulator, "/production/commands", purchase).body)
                #expect(waiting["result"] as? String == "pending" && waiting["orderId"] == nil)
                let approved = try Self.object(
                    try await Self.call(
                        simulator, "/production/commands", #"{"approvePurchase":{"customer":"\#(customer)"}}"#
                    ).body)
                #expect(approved["result"] as? String == "success" && approved["orderId"] is String)
            }
        }
    }
}
