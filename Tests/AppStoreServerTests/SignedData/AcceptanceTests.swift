import AppStoreModels
import Foundation
import StoreSimulator
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import AppStoreServer
@testable import AppStoreTrust

@Suite struct `Valid signed data is accepted` {
    private let authority: Authority

    init() throws { authority = try TestStore.authority() }

    @Test func `One verifier serves several apps, each in its own environments`() async throws {
        let verifier = try TestStore.verifier(
            apps: .only([
                App(bundleID: "a", appAppleID: 1, environments: [.production]),
                App(bundleID: "b", appAppleID: 2, environments: [.sandbox]), App(bundleID: "c"),
            ]))
        let expected: [(String, AppStoreEnvironment, VerificationError.Code?)] = [
            ("a", .production, nil), ("a", .sandbox, .wrongEnvironment), ("b", .production, .wrongEnvironment),
            ("b", .sandbox, nil), ("c", .production, nil), ("c", .sandbox, nil), ("d", .sandbox, .wrongApp),
        ]
        for (bundleId, environment, code) in expected {
            let text = try authority.sign(
                Members(.transaction, environment: environment).with("bundleId", "\"\(bundleId)\""))
            #expect(
                try await refusal { try await verifier.transaction(text) } == code,
                "\(bundleId) \(environment.rawValue)")
        }
    }

    @Test func `An app may be listed once for each environment`() async throws {
        let number = TestStore.app.appAppleID
        let verifier = try TestStore.verifier(
            apps: .only([
                App(bundleID: TestStore.bundleId, appAppleID: number, environments: [.sandbox]),
                App(bundleID: TestStore.bundleId, appAppleID: number, environments: [.production]),
            ]))
        for kind in SignedKind.allCases {
            for environment in [AppStoreEnvironment.sandbox, .production] {
                let text = try authority.sign(Members(kind, environment: environment))
                #expect(try await refusal { try await verifier.trace(of: text, as: kind) } == nil, "\(kind)")
            }
            let elsewhere = try authority.sign(Members(kind, environment: .init(rawValue: "Elsewhere")))
            #expect(
                try await refusal { try await verifier.trace(of: elsewhere, as: kind) } == .wrongEnvironment, "\(kind)")
        }
    }

    @Test func `A notification's Apple ID is compared with that of its bundle's app`() async throws {
        let verifier = try TestStore.verifier(
            apps: .only([App(bundleID: "a", appAppleID: 1), App(bundleID: "b", appAppleID: 2)]))
        for (bundleId, number, code) in [
            ("a", "1", nil), ("b", "2", nil), ("a", "2", .wrongApp), ("b", "1", .wrongApp),
        ]
            as [(String, String, VerificationError.Code?)]
        {
            let part = Members.part(environment: #""Production""#, appAppleId: number, bundleId: bundleId)
            let text = try authority.sign(Members(.notification).with("data", part))
            #expect(try await refusal { try await verifier.notification(text) } == code)
        }
    }

    @Test func `A notification with an unknown part is refused with a hint at newer versions`()
        async throws
    {
        let verifier = try TestStore.verifier(apps: .only([TestStore.app]))
        let signed = Int64(TestStore.now.timeIntervalSince1970 * 1000)
        let text = try authority.sign(
            json: Data(
                """
                {"notificationType":"LATER","notificationUUID":"u","version":"2.0","signedDate":\(signed),\
                "laterData":{"bundleId":"\(TestStore.bundleId)","environment":"Production"}}
                """.utf8))
        let error = await #expect(throws: VerificationError.self) { _ = try await verifier.notification(text) }
        #expect(error?.code == .wrongApp)
        #expect(error?.message.contains("newer version") == true)
        let tool = try TestStore.verifier(apps: .any([.production, .sandbox]))
        let other = await #expect(throws: VerificationError.self) { _ = try await tool.notification(text) }
        #expect(other?.code == .wrongEnvironment && other?.message.contains("newer version") == true)
    }

    @Test(arguments: [
        ("com.example.Kiosk", "com.example.\u{212A}iosk"), ("jos\u{E9}", "jose\u{301}"), ("a;b", "a\u{37E}b"),
    ])
    func `Bundle identifiers are compared by code points`(_ ours: String, _ theirs: String)
        async throws
    {
        #expect(ours == theirs, "Swift takes them for equal")
        for (app, signed) in [(ours, theirs), (theirs, ours)] {
            let verifier = try TestStore.verifier(apps: .only([App(bundleID: app)]))
            let foreign = try authority.sign(Members(.transaction).with("bundleId", "\"\(signed)\""))
            #expect(try await refusal { try await verifier.transaction(foreign) } == .wrongApp)
            let own = try authority.sign(Members(.transaction).with("bundleId", "\"\(app)\""))
            #expect(try await refusal { try await verifier.transaction(own) } == nil)
        }
    }

    @Test func `An external purchase token is for the sandbox if its identifier starts with SANDBOX`()
        async throws
    {
        let verifier = try TestStore.verifier(
            apps: .only([App(bundleID: TestStore.bundleId, environments: [.sandbox])]))
        let token = Members.token(id: "SANDBOX\u{301}_9b0e")
        let text = try authority.sign(
            Members(.notification).with("data", nil).with("externalPurchaseToken", token))
        #expect(try await refusal { try await verifier.notification(text) } == nil)
    }

    @Test func `A verifier for any app still checks the environment`() async throws {
        let verifier = try TestStore.verifier(apps: .any([.sandbox]))
        let sandbox = try authority.sign(Members(.transaction).with("bundleId", "\"whoever\""))
        #expect(try await verifier.transaction(sandbox).payload.bundleId == "whoever")
        let production = try authority.sign(Members(.transaction, environment: .production))
        #expect(try await refusal { try await verifier.transaction(production) } == .wrongEnvironment)
    }

    @Test(arguments: SignedKind.allCases)
    func `A payload of any kind is recognized and verified as its kind`(_ kind: SignedKind) async throws {
        let verifier = try TestStore.verifier()
        let text = try authority.sign(Members(kind))
        #expect(try await verifier.anyPayload(text).payload.kind == kind.rawValue)
        let elsewhere = try TestStore.verifier(apps: .only([App(bundleID: "other", environments: [.production])]))
        #expect(try await refusal { try await elsewhere.anyPayload(text) } != nil)
    }

    @Test(arguments: ["{}", #"{"environment":"Sandbox"}"#, #"{"iss":"me"}"#])
    func `A payload of no known kind is refused`(_ json: String) async throws {
        let verifier = try TestStore.verifier()
        let text = try authority.sign(json: Data(json.utf8))
        #expect(try await refusal { try await verifier.anyPayload(text) } == .badJSON)
    }

    @Test func `The chain is validated now, at the signing date or at a given instant`() async throws {
        let past = try Authority(now: TestStore.now - 20 * 365 * 86_400)
        let signed = TestStore.now - 20 * 365 * 86_400
        let milliseconds = String(Int64(signed.timeIntervalSince1970 * 1000))
        let text = try past.sign(Members(.transaction).with("signedDate", milliseconds))
        let expected: [(ValidationTime, VerificationError.Code?, Date)] = [
            (.now, .expiredOrNotYetValid, TestStore.now), (.signingDate, nil, signed),
            (.at(signed + 60), nil, signed + 60),
            (.at(TestStore.now), .expiredOrNotYetValid, TestStore.now),
            (.at(.distantPast), .expiredOrNotYetValid, .distantPast),
        ]
        for (instant, code, date) in expected {
            let verifier = try TestStore.verifier(trusting: past) { $0.validationTime = instant }
            #expect(try await refusal { try await verifier.transaction(text) } == code)
            if code == nil { #expect(try await verifier.transaction(text).trace.validatedAt == date) }
        }
    }

    @Test func `The signing date of an app transaction is its receipt creation date`() async throws {
        let verifier = try TestStore.verifier { $0.validationTime = .signingDate }
        let text = try authority.sign(Members(.appTransaction).with("receiptCreationDate", "1759999990000"))
        #expect(try await verifier.appTransaction(text).trace.validatedAt == TestStore.now - 10)
        let old = try authority.sign(Members(.appTransaction).with("receiptCreationDate", "1000000000000"))
        #expect(try await refusal { try await verifier.appTransaction(old) } == .expiredOrNotYetValid)
    }

    @Test func `The size limit counts bytes and is inclusive`() async throws {
        let text = try authority.sign(Members(.transaction))
        let exact = try TestStore.verifier { $0.maximumBytes = text.utf8.count }
        _ = try await exact.transaction(text)
        let less = try TestStore.verifier { $0.maximumBytes = text.utf8.count - 1 }
        #expect(try await refusal { try await less.transaction(text) } == .tooLarge)
        let letters = try TestStore.verifier { $0.maximumBytes = 20 }
        #expect(try await refusal { try await letters.transaction("🧾🧾🧾🧾🧾🧾") } == .tooLarge)
    }

    @Test func `The verified text is exactly the received text`() async throws {
        let text = try authority.sign(json: Data(("  " + Members(.transaction).with("x", "[1, 2]").json + "\n").utf8))
        #expect(try await TestStore.verifier().transaction(text).text == text)
    }

    @Test func `An enrolled certificate yields a trace of one certificate, and its validity counts`() async throws {
        let signer = try XcodeSigner.shared()
        let text = try signer.sign(.xcode).text
        func verifier(_ now: Date) throws -> SignedDataVerifier {
            try TestStore.verifier(apps: .any([.xcode])) {
                $0.enrolledXcodeCertificates = [Data(signer.certificate.der)]
                $0.now = { now }
            }
        }
        let trace = try await verifier(TestStore.now).transaction(text).trace
        #expect(trace.certificates.map(\.subject) == [signer.certificate.certificate.subject.description])
        #expect(trace.anchor == "StoreKit Testing in Xcode")
        let late = try verifier(TestStore.now + 366 * 86_400)
        #expect(try await refusal { try await late.transaction(text) } == .expiredOrNotYetValid)
    }

    @Test func `An enrolled certificate may be PEM, and an unreadable one is refused at once`() throws {
        let pem = try XcodeSigner.shared().certificate.certificate.serializeAsPEM().pemString
        _ = try TestStore.verifier { $0.enrolledXcodeCertificates = [Data(pem.utf8)] }
        #expect(throws: VerificationError(.certificateMalformed, "")) {
            try TestStore.verifier { $0.enrolledXcodeCertificates = [Data([0x30, 0x03, 1, 2, 3])] }
        }
    }

    @Test(arguments: ["", "<html>Not found</html>"])
    func `A file without a certificate cannot be enrolled`(_ text: String) throws {
        #expect(throws: VerificationError(.certificateMalformed, "")) {
            try TestStore.verifier { $0.enrolledXcodeCertificates = [Data(text.utf8)] }
        }
    }
}
