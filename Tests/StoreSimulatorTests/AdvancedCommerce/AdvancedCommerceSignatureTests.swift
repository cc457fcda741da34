import AppStoreModels
import AppStoreServer
import Crypto
import Foundation
import StoreSimulator
import Testing

@Suite struct `A signed Advanced Commerce request` {
    /// A simulator, and the code that it refuses a request with; nil if it takes it.
    static func refusal(
        bundle: String = "com.example.app", isForeign: Bool = false, isBase64: Bool = false
    ) async throws -> String? {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(AdvancedCommerceStore.start)
        let simulator = try await Simulator.start(configuration)
        let information = simulator.information
        let found: String?
        do {
            let key =
                isForeign
                ? try SigningKey(pem: P256.Signing.PrivateKey().pemRepresentation, keyID: information.keyID)
                : try SigningKey(contentsOf: URL(filePath: information.privateKey), keyID: information.keyID)
            let signer = try OfferSigner(key: key, issuerID: information.issuerID, bundleID: bundle)
            let data = try signer.advancedCommerce(AdvancedCommerceStore.order(UUID()))
            let text = isBase64 ? data.base64 : String(decoding: data.data, as: UTF8.self)
            let outcome = try await simulator.perform(
                .requestAdvancedCommerce(
                    customer: "anna", data: text, product: AdvancedCommerceStore.subscriptionProduct))
            #expect(outcome.notifications.map(\.notificationType) == [.subscribed])
            found = nil
        } catch let error as StoreError { found = String(error.message.prefix(7)) }
        await simulator.stop()
        return found
    }

    @Test func `is carried out if the app's key has signed it`() async throws {
        #expect(try await Self.refusal() == nil)
        #expect(try await Self.refusal(isBase64: true) == nil)
    }

    @Test func `is refused if another key has signed it, or it is for another app`() async throws {
        #expect(try await Self.refusal(isForeign: true) == "4000174")
        #expect(try await Self.refusal(bundle: "com.example.other") == "4000174")
    }

    @Test(arguments: ["", "{}", "x", "{\"signatureInfo\":{\"token\":\"a.b\"}}"])
    func `is refused if it is not there, or is no signed request`(data: String) throws {
        var world = try AdvancedCommerceStore()
        let error = #expect(throws: StoreError.self) {
            try world.perform(.requestAdvancedCommerce(customer: "anna", data: data))
        }
        #expect(error?.message.hasPrefix(data.isEmpty ? "4000171" : "4000174") == true)
    }
}
