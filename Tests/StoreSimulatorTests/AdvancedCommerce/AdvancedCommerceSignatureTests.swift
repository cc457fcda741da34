import AppStoreModels
import AppStoreServer
import Crypto
import Foundation
import StoreSimulator
import Testing

@Suite struct `A signed Advanced Commerce request` {
    /// Sends a signed request to a simulator. Returns the code of the refusal, or nil if the request is accepted.
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

    @Test func `An Advanced Commerce request signed with the app's key is carried out`() async throws {
        #expect(try await Self.refusal() == nil)
        #expect(try await Self.refusal(isBase64: true) == nil)
    }

    @Test func `An Advanced Commerce request signed with another key or for another app is refused`() async throws {
        #expect(try await Self.refusal(isForeign: true) == "4000174")
        #expect(try await Self.refusal(bundle: "com.example.other") == "4000174")
    }

    @Test(arguments: ["", "{}", "x", "{\"signatureInfo\":{\"token\":\"a.b\"}}"])
    func `A missing or malformed Advanced Commerce request is refused`(data: String) throws {
        var shop = try AdvancedCommerceStore()
        let error = #expect(throws: StoreError.self) {
            try shop.perform(.requestAdvancedCommerce(customer: "anna", data: data))
        }
        #expect(error?.message.hasPrefix(data.isEmpty ? "4000171" : "4000174") == true)
    }

    @Test(arguments: ["iss", "iat", "bid", "aud", "nonce", "request"])
    func `An Advanced Commerce request without one of the claims is refused`(_ claim: String) throws {
        var shop = try AdvancedCommerceStore()
        let order = AdvancedCommerceStore.order(shop.reference())
        let data = try AdvancedCommerceStore.unsigned(order, without: claim)
        let command = StoreCommand.requestAdvancedCommerce(
            customer: "ben", data: data, product: AdvancedCommerceStore.subscriptionProduct)
        let error = #expect(throws: StoreError.self) { try shop.perform(command) }
        #expect(error?.message.hasPrefix("4000174") == true)
        let complete = try AdvancedCommerceStore.unsigned(order)
        try shop.perform(
            .requestAdvancedCommerce(
                customer: "ben", data: complete, product: AdvancedCommerceStore.subscriptionProduct))
    }
}
