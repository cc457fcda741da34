import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport

/// The verified notifications, transactions and renewals of a simulated App Store whose customers act at random.
struct RandomStoreHistory: Sendable {
    static let bundleID = SimulatedApp().bundleID

    let notifications: [Verified<ResponseBodyV2DecodedPayload>]
    let transactions: [Verified<JWSTransactionDecodedPayload>]
    let renewals: [Verified<JWSRenewalInfoDecodedPayload>]
    let verifier: SignedDataVerifier

    /// Notifications that several tests share.
    static let shared = Task { try await make(seed: 7) }

    /// Runs a simulator with `commands` random actions: commands of customers, or triggered notifications of any type.
    static func make(seed: UInt64, commands: Int = 60) async throws -> RandomStoreHistory {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(World.start)
        configuration.seed = seed
        let simulator = try await Simulator.start(configuration)
        do {
            try await performRandomActions(simulator, seed: seed, commands: commands)
            let history = try await RandomStoreHistory(simulator)
            await simulator.stop()
            return history
        } catch {
            await simulator.stop()
            throw error
        }
    }

    /// Returns the signed payloads of all notifications in Production.
    static func payloads(of simulator: Simulator) throws -> [String] {
        let count = simulator.core.read(.production) { store, _ in store.notifications.count }
        return try (0..<count).map { try simulator.core.text($0, in: .production) }
    }

    /// Returns a verifier that trusts the simulator's root certificates and checks certificates at the signing date.
    static func verifier(trusting simulator: Simulator) throws -> SignedDataVerifier {
        let information = simulator.information
        var options = SignedDataVerifier.Configuration(
            apps: .only([App(bundleID: information.bundleID, appAppleID: information.appAppleID)]))
        options.anchors = try TrustAnchors(
            certificates: information.rootCertificates.map { try Data(contentsOf: URL(filePath: $0)) })
        options.validationTime = .signingDate
        options.now = { Date(timeIntervalSince1970: 7_000_000_000) }
        return try SignedDataVerifier(options)
    }

    private init(_ simulator: Simulator) async throws {
        verifier = try Self.verifier(trusting: simulator)
        var notifications: [Verified<ResponseBodyV2DecodedPayload>] = []
        var transactions: [Verified<JWSTransactionDecodedPayload>] = []
        var renewals: [Verified<JWSRenewalInfoDecodedPayload>] = []
        for text in try Self.payloads(of: simulator) {
            let notification = try await verifier.notification(text)
            notifications.append(notification)
            if let text = notification.payload.data?.signedTransactionInfo {
                transactions.append(try await verifier.transaction(text))
            }
            if let text = notification.payload.data?.signedRenewalInfo {
                renewals.append(try await verifier.renewalInfo(text))
            }
        }
        (self.notifications, self.transactions, self.renewals) = (notifications, transactions, renewals)
    }

    /// Performs random actions. Errors of the store are ignored, because some actions are not possible.
    static func performRandomActions(_ simulator: Simulator, seed: UInt64, commands: Int, customers: Int = 4)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<commands {
            if Int.random(in: 0..<4, using: &random) == 0 {
                try await simulator.advance(by: Double(Int.random(in: 0..<20, using: &random)) * 86_400)
            }
            do {
                if let command = command(customers, &random) {
                    try await simulator.perform(command)
                } else if let kind = Trigger.kinds.randomElement(using: &random) {
                    try await simulator.trigger(TriggerRequest(kind.type, kind.subtype))
                }
            } catch is StoreError {}
        }
    }

    private static let products = [
        "premium.monthly", "premium.yearly", "premium.weekly", "plus.monthly", "basic.monthly", "news.weekly",
        "coins.100", "unlock", "season.pass",
    ]

    private static func command(_ customers: Int, _ random: inout SeededGenerator) -> StoreCommand? {
        let customer = "customer-\(Int.random(in: 0..<customers, using: &random))"
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<5:
            let product = "com.example." + (products.randomElement(using: &random) ?? "unlock")
            let isNamed = Bool.random(using: &random)
            return .purchase(
                customer: customer, product: product, appAccountToken: AppAccountToken(isNamed ? uuid(&random) : nil))
        case 5: return .cancel(customer: customer)
        case 6: return .resume(customer: customer)
        case 7: return .failBilling(customer: customer)
        case 8: return .fixBilling(customer: customer)
        case 9: return .requestRefund(customer: customer)
        case 10: return .approveRefund(customer: customer)
        case 11: return .reverseRefund(customer: customer)
        case 12: return .shareWithFamily(customer: customer, member: "member-of-\(customer)")
        case 13: return .setAppAccountToken(customer: customer, appAccountToken: uuid(&random))
        default: return nil
        }
    }

    private static func uuid(_ random: inout SeededGenerator) -> UUID {
        UUID(uuidString: "00000000-0000-4000-8000-00000000000\(Int.random(in: 0..<9, using: &random))") ?? UUID()
    }
}
