import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `The routes of devices` {
    private func get<Value: Decodable & Sendable>(
        _ simulator: Simulator, _ path: String, as type: Value.Type = Value.self
    ) async throws -> Value {
        let answer = try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(
                method: "GET", url: simulator.information.controlURL + "/sandbox/customers" + path,
                timeout: .seconds(600)))
        try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        return try JSONDecoder().decode(type, from: answer.body)
    }

    /// Requests the updates of a device of anna until there are some. A busy machine may be too slow for one request.
    private func updates(_ simulator: Simulator, of device: String, after number: Int) async throws -> DeviceUpdates {
        while true {
            let path = "/anna/devices/\(device)/updates?after=\(number)&wait=60"
            let found: DeviceUpdates = try await get(simulator, path)
            if !found.updates.isEmpty { return found }
        }
    }

    private func status(_ simulator: Simulator, _ path: String) async throws -> Int {
        try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(
                method: "GET", url: simulator.information.controlURL + "/sandbox/customers" + path,
                timeout: .seconds(600))
        ).status
    }

    @Test func `The contents of a device have signed transactions, prices, storefront and receipt`() async throws {
        try await withSimulator { simulator in
            let bought = try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", device: "phone"), in: .sandbox)
            let text = try #require(bought.transaction?.signedTransactionInfo)
            let contents: DeviceContents = try await get(simulator, "/anna/devices/phone")
            // The text equals that of the purchase result: reading it does not sign it again.
            #expect(contents.all.map(\.signedTransactionInfo) == [text])
            #expect(contents.current == contents.all && contents.unfinished == contents.all)
            #expect(contents.statuses.map(\.state) == [1] && contents.statuses[0].signedTransactionInfo == text)
            #expect(contents.storefront == "USA" && contents.system == 26 && !contents.isOffline)
            #expect(contents.signedAppTransactionInfo != nil)
            let receipt = try #require(contents.receipt)
            #expect(Data(base64Encoded: receipt) != nil)
            let product = try #require(contents.products.first { $0.id == "com.example.premium.monthly" })
            #expect(product.displayPrice == "$9.99" && product.price == Decimal(string: "9.99"))
            #expect(product.type == "Auto-Renewable Subscription" && product.subscriptionGroupIdentifier != nil)
            try await simulator.perform(
                .finish(customer: "anna", transaction: bought.transactionID, device: "phone"), in: .sandbox)
            #expect(try await get(simulator, "/anna/devices/phone", as: DeviceContents.self).unfinished.isEmpty)
        }
    }

    @Test func `A finished consumable is listed again after a refund`() async throws {
        try await withSimulator { simulator in
            let bought = try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.coins.100", device: "phone"), in: .sandbox)
            try await simulator.perform(
                .finish(customer: "anna", transaction: bought.transactionID, device: "phone"), in: .sandbox)
            let finished: DeviceContents = try await get(simulator, "/anna/devices/phone")
            #expect(finished.all.isEmpty)
            try await simulator.perform(.approveRefund(customer: "anna"), in: .sandbox)
            let refunded: DeviceContents = try await get(simulator, "/anna/devices/phone")
            #expect(refunded.all.count == 1 && refunded.current.isEmpty && refunded.unfinished.isEmpty)
        }
    }

    @Test func `A device with an old system has no app transaction`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(.installApp(customer: "anna", device: "old", system: 15), in: .sandbox)
            let contents: DeviceContents = try await get(simulator, "/anna/devices/old")
            #expect(contents.signedAppTransactionInfo == nil && contents.system == 15)
            #expect(contents.receipt == nil, "no purchase yet")
        }
    }

    @Test func `A purchase planned as unverified has an invalid signature on that device only`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(
                .setNextPurchaseResult(customer: "anna", device: "phone", result: .unverified), in: .sandbox)
            let bought = try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.unlock", device: "phone"), in: .sandbox)
            #expect(bought.transaction?.isVerified == false)
            let phone: DeviceContents = try await get(simulator, "/anna/devices/phone")
            let tablet: DeviceContents = try await get(simulator, "/anna/devices/tablet")
            #expect(phone.all.map(\.isVerified) == [false] && tablet.all.map(\.isVerified) == [true])
            let parts = { (text: String) in text.split(separator: ".").map(String.init) }
            let (wrong, right) = (
                parts(phone.all[0].signedTransactionInfo), parts(tablet.all[0].signedTransactionInfo)
            )
            #expect(wrong[0] == right[0] && wrong[1] == right[1] && wrong[2] != right[2])
        }
    }

    @Test func `Updates return unfinished transactions first, and a waiting request gets the next one`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.unlock", device: "phone"), in: .sandbox)
            let start: DeviceUpdates = try await get(simulator, "/anna/devices/tablet/updates?after=0&wait=60")
            #expect(start.updates.count == 1 && start.next == 1)
            let none: DeviceUpdates = try await get(simulator, "/anna/devices/tablet/updates?after=1")
            #expect(none.updates.isEmpty && none.next == 1)
            async let waiting = updates(simulator, of: "tablet", after: 1)
            try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.coins.100", device: "phone"), in: .sandbox)
            let received = try await waiting
            #expect(
                received.updates.count == 1 && received.next == 2 && received.updates[0].transaction?.isVerified == true
            )
            // A number from before the reset counts as a start.
            try await simulator.reset()
            try await simulator.perform(.createCustomer(customer: "anna"), in: .sandbox)
            let anew: DeviceUpdates = try await get(simulator, "/anna/devices/tablet/updates?after=2&wait=60")
            #expect(anew.updates.isEmpty && anew.next == 1)
        }
    }

    @Test func `A renewal reaches a device that waits for updates while the clock advances`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", device: "phone"), in: .sandbox)
            let start: DeviceUpdates = try await get(simulator, "/anna/devices/phone/updates")
            async let waiting = updates(simulator, of: "phone", after: start.next)
            try await simulator.advance(by: .year)
            #expect(try await !waiting.updates.isEmpty)
        }
    }

    /// The request waits for a minute. Repeated, because a busy machine may take longer to stop the simulator.
    @Test func `A simulator stops while a request waits for updates`() async throws {
        var durations: [Duration] = []
        repeat {
            durations.append(try await ContinuousClock().measure { try await stopDuringRequest() })
        } while durations.count < 5 && durations.allSatisfy({ $0 > .seconds(50) })
        #expect(durations.contains { $0 < .seconds(50) }, "\(durations)")
    }

    private func stopDuringRequest() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(.installApp(customer: "anna", device: "phone"), in: .sandbox)
            let path =
                simulator.information.controlURL + "/sandbox/customers/anna/devices/phone/updates?after=1&wait=60"
            let request = HTTPTransportRequest(method: "GET", url: path, timeout: .seconds(600))
            // The test does not need the response.
            Task { _ = try? await AsyncHTTPClientTransport().send(request) }
            let other: DeviceUpdates = try await get(simulator, "/anna/devices/phone/updates?after=1&wait=1")
            #expect(other.updates.isEmpty)
        }
    }

    @Test func `Unknown customers, empty device names and invalid parameters are refused`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(.createCustomer(customer: "anna"), in: .sandbox)
            #expect(try await status(simulator, "/zoe/devices/phone") == 404)
            #expect(try await status(simulator, "/zoe/devices/phone/updates") == 404)
            #expect(try await status(simulator, "/anna/devices/%20") == 400)
            #expect(try await status(simulator, "/anna/devices/%20/updates") == 400)
            for query in ["after=-1", "after=x", "after=2147483648", "wait=61", "wait=-1", "wait=1e9"] {
                #expect(try await status(simulator, "/anna/devices/phone/updates?\(query)") == 400)
            }
        }
    }
}
