import AppStoreModels
import Crypto
import Foundation
import Testing

@testable import AppStoreServer

@Suite("The code of the articles")
struct ArticleTests {
    let key = P256.Signing.PrivateKey().pemRepresentation

    @Test("calls the App Store")
    func calling() async throws {
        let tokens = try APITokenSource(
            key: SigningKey(pem: key, keyID: "ABCDEFGHIJ"), issuerID: TestKeys.issuerID, bundleID: "com.example.app")
        let transport = StubTransport(
            PagesTests.history(["1"], "r", true), PagesTests.history(["2"], "s", false), .apiError(4_000_185))
        let client = AppStoreServerClient(tokens: tokens, host: .production, transport: transport)

        var kept: [String] = []
        var revision: String?
        for try await page in client.transactionHistory(of: "1", after: revision) {
            kept += page.signedTransactions
            revision = page.revision
        }
        #expect(kept == ["1", "2"])
        #expect(revision == "s")

        var found = ""
        // Not `catch where …`: Swift 6.3.1 crashes or never ends over it when the error is typed and the call async.
        do {
            try await client.setAppAccountToken(UUID(), of: "1")
        } catch {
            if error.apiCode == .familyTransactionNotSupported {
                found = "family"
            } else if error.isRetryable {
                found = "again"
            } else {
                throw error
            }
        }
        #expect(found == "family")
    }

    @Test("signs offers")
    func signing() throws {
        let signer = try OfferSigner(
            key: SigningKey(pem: key, keyID: "ABCDEFGHIJ"), issuerID: TestKeys.issuerID, bundleID: "com.example.app")
        let signed = try signer.advancedCommerce(
            AdvancedCommerceOneTimeChargeCreateRequest(
                requestInfo: AdvancedCommerceRequestInfo(requestReferenceId: UUID()), currency: "USD",
                item: AdvancedCommerceOneTimeChargeItem(
                    sku: "book-42", displayName: "A book", description: "One book", price: 4990),
                taxCode: "C003-00-2"))
        let publicKey = try P256.Signing.PrivateKey(pemRepresentation: key).publicKey
        let claims = try TestKeys.open(signed.token, with: publicKey).claims
        let text = try #require(claims["request"] as? String)
        let json = try #require(Data(base64Encoded: text))
        let request = try TestKeys.object(json)
        #expect(request["operation"] as? String == "CREATE_ONE_TIME_CHARGE")
        #expect(request["version"] as? String == "1")
    }
}
