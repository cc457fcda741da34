import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

/// The code of the article "Test your purchases on Linux". Its code for simulators is in EndToEndTests.
@Suite(.timeLimit(.minutes(10)))
struct `The guide to tests` {
    let scheduler = ManualScheduler()
    let store = ScriptedStore()

    func client(_ backend: any Backend) -> PurchaseClient {
        PurchaseClient(store: store, backend: backend, storage: MemoryStorage(), scheduler: scheduler)
    }

    var server: MemoryBackend { MemoryBackend([ProductEntitlements("lifetime", ["pro"])], scheduler: scheduler) }

    func until(_ condition: () async -> Bool) async {
        while !Task.isCancelled, await !condition() { await Task.yield() }
    }

    @Test func `A purchase on the device is shown without a tap`() async throws {
        let client = client(server)
        await store.add(.unsigned(1, "lifetime", .nonConsumable, purchased: await scheduler.now()))
        client.start()
        try client.signIn("anna", token: "token")
        for await customer in client.customers where customer.isActive("pro") { break }
        await until { await store.finished == [1] }
        #expect(await store.synced == 0)  // nobody was asked for a password
    }

    @Test func `A kept purchase is finished`() async throws {
        let client = client(server)
        client.start()
        try client.signIn("anna", token: "token")
        let bought = DeviceTransaction.unsigned(1, "lifetime", .nonConsumable, purchased: await scheduler.now())
        await store.enqueuePurchaseResults([.success(bought)])
        #expect(try await client.buy("lifetime") == .purchased(bought, .stored))
        await until { await store.finished == [1] }
    }

    @Test func `A lost answer loses no purchase`() async throws {
        let flaky = FlakyBackend(server)
        await flaky.enqueueFaults([.failure(.noConnection), .lostResponse])
        let client = client(flaky)
        await store.add(.unsigned(1, "lifetime", .nonConsumable, purchased: await scheduler.now()))
        client.start()
        try client.signIn("anna", token: "token")
        await until {
            if let pause = await scheduler.nextWake { await scheduler.advance(by: pause) }
            return await store.finished == [1]
        }
        #expect(await flaky.requests >= 3)
    }

    private let paymentFailed = """
        {"object": "customer", "id": "anna", "environment": "Sandbox", "as_of": 1750000000000,
         "entitlements": [{"key": "pro", "is_active": false, "state": "inactive", "details": ["billing_retry"],
          "until": 1749999000000, "product_id": "monthly", "original_transaction_id": "11"}],
         "groups": [{"subscription_group_identifier": "G", "state": "inactive", "details": ["billing_retry"],
          "product_id": "monthly", "original_transaction_id": "11", "is_eligible_for_introductory_offer": false,
          "next_step": "fix_payment"}],
         "consumables": [{"product_id": "coins", "quantity": 5, "revoked_quantity": 0}]}
        """

    @Test func `A customer whose payment failed is asked to fix it`() async throws {
        let response = try CustomerResponse(json: paymentFailed)
        #expect(Customer(response).nextStep == .fixPayment)
        let flaky = FlakyBackend(server)
        await flaky.enqueueFaults([.response(response)])
        let client = client(flaky)
        client.start()
        try client.signIn("anna", token: "token")
        for await customer in client.customers where customer.nextStep == .fixPayment { break }
    }

    @Test func `A state made from a response has all that the client publishes after it`() async throws {
        let response = try CustomerResponse(json: paymentFailed)
        let flaky = FlakyBackend(server)
        await flaky.enqueueFaults([.response(response)])
        let client = client(flaky)
        client.start()
        try client.signIn("anna", token: "token")
        for await customer in client.customers where customer.source == .server && customer.readiness == .ready {
            #expect(customer == Customer(response))
            #expect(customer.consumables.map(\.quantity) == [5] && customer["pro"]?.nextStep == .fixPayment)
            break
        }
        #expect(throws: DecodingError.self) { try CustomerResponse(json: "{}") }
    }

    @Test func `Every line of code in the article occurs in the tests`() throws {
        let file = URL(fileURLWithPath: #filePath)
        let folder = file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let article = folder.appendingPathComponent(
            "Sources/CounterfoilClient/CounterfoilClient.docc/TestOnLinux.md")
        func lines(_ text: some StringProtocol) -> [String] {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let other = folder.appendingPathComponent("Tests/EndToEndTests/EndToEndTests.swift")
        let tested = Set(try [file, other].flatMap { lines(try String(contentsOf: $0, encoding: .utf8)) })
        let parts = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```")
        let shown = parts.filter { $0.hasPrefix("swift\n") }.flatMap { lines($0).dropFirst() }
            .filter { !$0.hasPrefix("@Suite") && !$0.hasPrefix("struct") }
        #expect(shown.count > 40)
        #expect(shown.filter { !tested.contains($0) } == [])
    }
}
