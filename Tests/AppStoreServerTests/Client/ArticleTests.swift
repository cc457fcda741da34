import AppStoreModels
import Crypto
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import AppStoreServer

@Suite struct `The code of the articles` {
    let key = P256.Signing.PrivateKey().pemRepresentation

    @Test func `Every line of code in the articles and in the README occurs in this file`() throws {
        #expect(try Articles.uncompiled(of: "AppStoreServer", in: #filePath) == [])
        #expect(try Articles.uncompiled(ofPage: "README.md", in: #filePath) == [])
    }

    /// Stands for the reader's own storage in the articles.
    private struct ReaderStore {
        func lastRevision(of customer: String) async throws -> String? { nil }
        func add(_ texts: [String]) async throws {}
        func setLastRevision(_ revision: String?, of customer: String) async throws {}
        func put(_ id: String, notBefore: Date?) async throws {}
        func save(_ job: HistoryJob) async throws {}
    }

    private struct HistoryJob: Codable {
        var request: NotificationHistoryRequest
        var token: String?
    }

    private struct Body { let signedPayload: String }

    @Test func `The articles' code verifies signed data`() async throws {
        func own() throws -> SignedDataVerifier {
            let verifier = try SignedDataVerifier(
                .init(
                    apps: .only([
                        App(bundleID: "com.example.app", appAppleID: 1_234_567_890),
                        App(bundleID: "com.example.beta", environments: [.sandbox]),
                    ])))
            return verifier
        }
        _ = try own()
        func use(_ verifier: SignedDataVerifier, _ body: Body) async throws {
            let notification = try await verifier.notification(body.signedPayload)
            if case .purchase(let transaction, let renewal) = try await verifier.content(of: notification) {
                print(transaction.payload.productId, transaction.payload.expiresDate as Any)
                print(renewal?.payload.autoRenewStatus as Any)
            }
            print(notification.payload.notificationType, notification.trace.anchor)
        }
        func judge(_ verifier: SignedDataVerifier, _ text: String) async -> VerificationError.Code? {
            do {
                let transaction = try await verifier.transaction(text)
                _ = transaction
            } catch {
                switch error.code {
                case .revocationUnknown: break  // answer 503: the App Store will send a notification again
                case .wrongEnvironment: break  // a sandbox purchase at a server for production
                default: break  // answer 400, log error.code and error.message
                }
                return error.code
            }
            return nil
        }
        let text = try TestStore.authority().sign(Members(.transaction))
        let strict = try TestStore.verifier()
        #expect(await judge(strict, text) == nil)
        #expect(await judge(try own(), text) == .untrustedRoot)
        await #expect(throws: VerificationError.self) { try await use(strict, Body(signedPayload: text)) }
        let apps = AcceptedApps.any([.production])
        var configuration = SignedDataVerifier.Configuration(apps: apps)
        configuration.validationTime = .signingDate
        let archive = try SignedDataVerifier(configuration)
        #expect(await judge(archive, text) == .untrustedRoot)
        configuration.revocation = RevocationOptions(policy: .soft)
    }

    @Test func `The articles' code tests a function that takes a verified value`() throws {
        struct OwnStore {
            func hasAccess(_ transaction: Verified<JWSTransactionDecodedPayload>) throws -> Bool {
                try #require(transaction.payload.expiresDate) > TestStore.now
            }
        }
        let store = OwnStore()
        let payload = JWSTransactionDecodedPayload(
            transactionId: "2", originalTransactionId: "1", bundleId: TestStore.bundleId, productId: "pro.monthly",
            purchaseDate: TestStore.now - 100, originalPurchaseDate: TestStore.now - 100, expiresDate: TestStore.now,
            quantity: 1, type: .autoRenewableSubscription, inAppOwnershipType: .purchased,
            signedDate: TestStore.now - 100, environment: .production)
        let expired = Verified(unverifiedForTesting: payload)
        #expect(try store.hasAccess(expired) == false)
    }

    @Test func `The articles' code enrolls an Xcode certificate`() async throws {
        let signer = try XcodeSigner.shared()
        try await Tool.inTemporaryFolder { folder in
            let certificateFile = folder.appending(path: "xcode.cer")
            try Data(signer.certificate.der).write(to: certificateFile)
            var configuration = SignedDataVerifier.Configuration(
                apps: .only([App(bundleID: "com.example.app", environments: [.xcode])]))
            configuration.enrolledXcodeCertificates = [try Data(contentsOf: certificateFile)]
            _ = try SignedDataVerifier(configuration)
        }
    }

    @Test func `The articles' code for the network compiles and handles errors`() async throws {
        let (store, queue, customer, account) = (ReaderStore(), ReaderStore(), "1", UUID())
        func connect() async throws {
            let key = try SigningKey(
                contentsOf: URL(filePath: "SubscriptionKey_ABCDEFGHIJ.p8"), keyID: "ABCDEFGHIJ")
            let tokens = try APITokenSource(
                key: key, issuerID: "57246542-96fe-1a63-e053-0824d011072a", bundleID: "com.example.app")
            let client = AppStoreServerClient(tokens: tokens, host: .production)

            let response = try await client.transaction("2000000000000000")
            _ = response
        }
        // The key file does not exist.
        await #expect(throws: SigningError.self) { try await connect() }
        let bench = try Bench(PagesTests.history(["1"], "r", false), .apiError(5_000_000)) { $0.retry = .never }
        let (client, originalTransactionID) = (bench.client, "1")
        var revision = try await store.lastRevision(of: customer)
        for try await page in client.transactionHistory(of: customer, after: revision) {
            try await store.add(page.signedTransactions)
            revision = page.revision
        }
        try await store.setLastRevision(revision, of: customer)
        #expect(revision == "r")
        do {
            try await client.setAppAccountToken(account, of: originalTransactionID)
        } catch {
            if error.apiCode == .familyTransactionNotSupported {
                // Shared by the family: there is nothing to set.
            } else if error.isRetryable {
                try await queue.put(originalTransactionID, notBefore: error.retryAfter)
            } else {
                throw error
            }
        }
    }

    @Test func `The articles' code continues an interrupted notification history`() async throws {
        let store = ReaderStore()
        func run(_ job: inout HistoryJob, _ client: AppStoreServerClient) async throws {
            for try await page in client.notificationHistory(job.request, after: job.token) {
                try await store.add(page.notificationHistory.map(\.signedPayload))
                job.token = page.paginationToken
                try await store.save(job)
            }
        }
        var job = HistoryJob(
            request: NotificationHistoryRequest(startDate: TestStore.now - 86_400, endDate: TestStore.now))
        let page = #"{"paginationToken":"t1","hasMore":true,"notificationHistory":[]}"#
        let first = try Bench(.ok(page), .apiError(5_000_000)) { $0.retry = .never }
        do {
            try await run(&job, first.client)
            Issue.record("the second page was read")
        } catch let error as AppStoreServerError {
            #expect(error.code == .serverFailure)
        }
        #expect(job.token == "t1")
        // After a restart of the program.
        job = try JSONDecoder().decode(HistoryJob.self, from: JSONEncoder().encode(job))
        let second = try Bench(.ok(#"{"hasMore":false,"notificationHistory":[]}"#))
        try await run(&job, second.client)
        #expect(second.transport.requests.map(\.url).allSatisfy { $0.hasSuffix("?paginationToken=t1") })
        #expect(second.transport.requests.map(\.body) == [first.transport.requests[0].body])
        #expect(job.token == nil)
    }

    @Test func `The articles' code asks the sandbox only about transactions that production does not know`()
        async throws
    {
        let answer = #"{"environment":"Sandbox","bundleId":"com.example.app","data":[]}"#
        let bench = try Bench(.apiError(4_040_010), .apiError(4_000_006)) { $0.retry = .never }
        let (production, sandbox) = (bench.client, try Bench(.ok(answer), host: .sandbox).client)
        func statuses(of transactionID: String) async throws -> StatusResponse {
            do {
                return try await production.subscriptionStatuses(of: transactionID)
            } catch {
                guard error.apiCode == .transactionIdNotFound else { throw error }
                return try await sandbox.subscriptionStatuses(of: transactionID)
            }
        }
        let found = try await statuses(of: "1")
        #expect(found.environment == .sandbox)
        let error = await #expect(throws: AppStoreServerError.self) { try await statuses(of: "x") }
        #expect(error?.apiCode == .invalidTransactionId)
    }

    @Test func `The articles' code reads a history and handles errors`() async throws {
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

    @Test func `The articles' code signs each kind of offer`() throws {
        func signer() throws -> OfferSigner {
            let key = try SigningKey(
                contentsOf: URL(filePath: "SubscriptionKey_ABCDEFGHIJ.p8"), keyID: "ABCDEFGHIJ")
            let signer = try OfferSigner(
                key: key, issuerID: "57246542-96fe-1a63-e053-0824d011072a", bundleID: "com.example.app")
            return signer
        }
        #expect(throws: SigningError.self) { try signer() }
        func promote(_ signer: OfferSigner) throws -> String {
            let jws = try signer.promotionalOfferV2(
                productID: "pro.monthly", offerID: "half-price", transactionID: "2000000000000000")
            return jws
        }
        func introduce(_ signer: OfferSigner) throws -> String {
            let jws = try signer.introductoryOfferEligibility(
                productID: "pro.monthly", isAllowed: true, transactionID: "2000000000000000")
            return jws
        }
        let (mine, account) = (try ownSigner(), UUID())
        #expect(try promote(mine).split(separator: ".").count == 3)
        #expect(try introduce(mine).split(separator: ".").count == 3)
        func original(_ signer: OfferSigner) throws -> UUID {
            let offer = try signer.promotionalOffer(
                productID: "pro.monthly", offerID: "half-price", appAccountToken: account)
            return offer.nonce
        }
        #expect(try original(mine) != original(mine))
    }

    private func ownSigner() throws -> OfferSigner {
        try OfferSigner(
            key: SigningKey(pem: key, keyID: "ABCDEFGHIJ"), issuerID: TestKeys.issuerID, bundleID: "com.example.app")
    }

    @Test func `The articles' code signs an Advanced Commerce request`() throws {
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
