import AppStoreModels
import AppStoreReceipts
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

extension `Server and simulator agree` {
    static let receiptSeeds = Array(seeds(default: 1...3))

    /// Compares everything that tells of the purchases of one customer: the receipt, `verifyReceipt` of the App Store
    /// and of the server, and the App Store Server API. Every third seed does so in the sandbox.
    @Test(arguments: receiptSeeds)
    func `Receipts, verifyReceipt and the App Store Server API say the same about each customer`(_ seed: UInt64)
        async throws
    {
        let environment: AppStoreEnvironment = seed.isMultiple(of: 3) ? .sandbox : .production
        try await World.run {
            RandomHistory.settings(seed, &$0)
            $0.sandbox = $0.production
            $0.createsReceiptAuthorityAtStart = true
        } server: {
            $0.apps[0].sharedSecrets = [Secret(ReceiptLaw.secret)]
            $0.apps[0].catalogue.consumables = ["coins"]
            $0.apps[0].catalogue.durations = ["season": .month]
        } _: { world in
            var random = RandomCommands(random: SeededGenerator(seed: seed))
            var law = ReceiptLaw(world: world, environment: environment)
            for number in 1...90 where law.violations.isEmpty {
                try await world.simulator.advance(by: max(random.pause(), 0.005))
                let command = world.simulator.core.read(environment) { store, _ in random.next(store) }
                // The server keeps the purchases of a tester whose history the App Store has cleared.
                if case .clearHistory = command { continue }
                // The simulator refuses many random commands.
                do { try await world.simulator.perform(command, in: environment) } catch is StoreError {}
                if number.isMultiple(of: 30) { try await law.compare() }
            }
            // Empty answers agree too.
            for subject in ReceiptLaw.Subject.allCases {
                #expect(law.compared[subject, default: 0] > 0, "seed \(seed): nothing compared: \(subject)")
            }
            #expect(law.violations.isEmpty, "seed \(seed):\n\(law.violations.prefix(12).joined(separator: "\n"))")
        }
    }

    /// Random commands revoke the volume purchase of a customer with purchases in few histories.
    @Test func `The receipt of a customer whose volume purchase was revoked is refused as expired`() async throws {
        try await World.run {
            $0.createsReceiptAuthorityAtStart = true
        } _: { world in
            _ = try await Self.bought(world, .production)
            try await world.simulator.perform(.assignVolumePurchase(customer: "anna"))
            try await world.simulator.perform(.revokeVolumePurchase(customer: "anna"))
            var law = ReceiptLaw(world: world, environment: .production)
            try #require(law.isExpired("anna"))
            try await law.compare()
            #expect(law.violations == [] && law.compared.isEmpty)
        }
    }

    @Test func `verifyReceipt of the server and of the App Store answer each request with the documented status`()
        async throws
    {
        try await World.run {
            $0.createsReceiptAuthorityAtStart = true
        } server: {
            $0.apps[0].sharedSecrets = [Secret(ReceiptLaw.secret)]
        } _: { world in
            let (production, sandbox) = (
                try await Self.bought(world, .production), try await Self.bought(world, .sandbox)
            )
            let (xcode, untyped) = (try Self.signed(world, .xcode), try Self.signed(world, nil))
            let secret = ReceiptLaw.secret
            let cases: [(receipt: String, password: String?, endpoint: AppStoreEnvironment, status: Int)] = [
                (production, secret, .production, 0), (sandbox, secret, .sandbox, 0),
                (sandbox, secret, .production, 21007), (production, secret, .sandbox, 21008),
                (production, "wrong", .production, 21004), (production, nil, .production, 21004),
                (sandbox, "wrong", .production, 21004), ("", secret, .production, 21002),
                ("bm8gcmVjZWlwdA==", secret, .sandbox, 21002), (xcode, secret, .production, 21002),
                (xcode, secret, .sandbox, 21002), (untyped, secret, .production, 21007),
                (untyped, secret, .sandbox, 21002),
                // A forged receipt is a forgery, whatever the environment.
                (try Self.forged(production), secret, .production, 21003),
                (try Self.forged(production), secret, .sandbox, 21003),
                (try Self.forged(sandbox), secret, .production, 21003),
            ]
            for (number, item) in cases.enumerated() {
                let request = VerifyReceiptRequest(receiptData: item.receipt, password: item.password)
                let body = try JSONEncoder().encode(request)
                let simulated = Data(world.simulator.core.verifyReceipt(body, in: item.endpoint).body)
                let path = "/verifyReceipt?environment=\(item.endpoint.rawValue)"
                let answered = try await world.call(.POST, path, data: body, key: nil)
                #expect(
                    APIResponse(status: 200, body: simulated).number("status") == item.status, "App Store, \(number)")
                #expect(answered.status == 200 && answered.number("status") == item.status, "server, \(number)")
            }
        }
    }

    /// Returns the receipt of a customer with a subscription.
    private static func bought(_ world: World, _ environment: AppStoreEnvironment) async throws -> String {
        try await world.simulator.perform(
            .purchase(customer: "anna", product: "com.example.premium.monthly"), in: environment)
        return try world.simulator.receipt(of: "anna", in: environment)
    }

    /// Returns a receipt of this type without purchases. Xcode signs its receipts itself.
    private static func signed(_ world: World, _ type: ReceiptType?) throws -> String {
        let contents = ReceiptContents(
            type: type, bundleID: world.simulator.information.bundleID, version: "1", creationDate: world.simulator.now,
            deviceID: Data([1, 2, 3, 4, 5, 6]), opaqueValue: Array(repeating: 7, count: 16))
        return try world.simulator.core.authority.receiptAuthority().sign(contents).base64EncodedString()
    }

    /// Returns a receipt with another signature.
    private static func forged(_ receipt: String) throws -> String {
        var bytes = Array(try #require(Data(base64Encoded: receipt)))
        bytes[bytes.count - 1] ^= 1
        return Data(bytes).base64EncodedString()
    }
}
