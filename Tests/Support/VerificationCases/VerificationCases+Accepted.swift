internal import AppStoreModels
internal import AppStoreTrust
import Basics
internal import Foundation
internal import StoreSimulator
internal import SwiftASN1
internal import X509

extension VerificationCases {
    /// Cases that must be accepted, some of them at the limit.
    package static let accepted: [VerificationCase] =
        [sandbox, production, edges, more, parts, others].flatMap(\.self)

    private static let sandbox: [VerificationCase] = SignedKind.allCases.map { kind in
        VerificationCase("\(kind) for the sandbox", nil, kind) { try $0.sign(Members(kind)) }
    }

    private static let production: [VerificationCase] = SignedKind.allCases.map { kind in
        VerificationCase("\(kind) for production", nil, kind, .production) {
            let members = Members(kind, environment: .production)
            guard kind == .notification else { return try $0.sign(members) }
            return try $0.sign(members.with("data", Members.part(environment: #""Production""#)))
        }
    }

    package static let edges: [VerificationCase] = ["leaf", "intermediate", "root"].flatMap {
        (which: String) -> [VerificationCase] in
        [
            defect("\(which): valid from this very second", nil) { $0.change(which) { $0.notBefore = TestStore.now } },
            defect("\(which): valid to this very second", nil) { $0.change(which) { $0.notAfter = TestStore.now } },
            defect("\(which): an unknown extension", nil) {
                $0.change(which) { $0.extraExtensions = [unknown(critical: false)] }
            },
            defect("\(which): an empty extension", nil) {
                $0.change(which) { $0.extraExtensions = [.init(oid: [1, 2, 3], critical: false, value: [])] }
            },
        ]
    }

    private static let more: [VerificationCase] = [
        defect("leaf: no basic constraints", nil) { $0.leaf = { $0.basicConstraints = nil } },
        defect("intermediate: no limit to the path", nil) {
            $0.intermediate = { $0.basicConstraints = .isCertificateAuthority(maxPathLength: nil) }
        },
        defect("root: a path of one", nil) {
            $0.root = { $0.basicConstraints = .isCertificateAuthority(maxPathLength: 1) }
        },
        defect("root: no key usage", nil) { $0.root = { $0.keyUsage = nil } },
        VerificationCase("header: typ, kid and an unknown member", nil) {
            try EditableJWS($0, header: $0.header(adding: #""typ":"JWT","kid":"1","x":{"y":[1,"\"]}"]},"#)).text
        },
        VerificationCase("header: 100 kB of an unknown member", nil) {
            try EditableJWS($0, header: $0.header(adding: #""x":"\#(String(repeating: "A", count: 100_000))","#)).text
        },
        VerificationCase("header: a member that only looks like crit", nil) {
            try EditableJWS($0, header: $0.header(adding: #""x":{"crit":["a"],"b64":false,"alg":"none"},"#)).text
        },
        VerificationCase("header: white space before", nil) { try EditableJWS($0, header: " " + $0.header()).text },
        VerificationCase("header: 31 arrays in each other", nil) {
            try EditableJWS($0, header: $0.header(adding: "\"x\":\(nested(31)),")).text
        },
        VerificationCase("header: white space between members", nil) {
            try EditableJWS($0, header: $0.header().replacing(",", with: " ,\r\n\t ") + "\n").text
        },
        VerificationCase("header: an alg that is spelled with an escape", nil) {
            try EditableJWS($0, header: $0.header().replacing("ES256", with: #"\u0045S256"#)).text
        },
        VerificationCase("signature: the mirror (r, n − s)", nil) {
            try EditableJWS($0).changing {
                $0.signature = Base64.encodeURL(mirrored(Base64.decodeURL($0.signature) ?? []))
            }.text
        },
        VerificationCase("payload: unknown members and values", nil) {
            try $0.sign(Members(.transaction).with("x", #"{"y":[null,1e300,"é"]}"#).with("type", "\"New\""))
        },
        VerificationCase("payload: 31 arrays in each other", nil) {
            try $0.sign(Members(.transaction).with("x", nested(31)))
        },
        VerificationCase("payload: 100 kB of an unknown member", nil) {
            try $0.sign(Members(.transaction).with("x", "\"\(String(repeating: "A", count: 100_000))\""))
        },
        VerificationCase("payload: fractional milliseconds, as Xcode signs them", nil) {
            try $0.sign(Members(.transaction).with("purchaseDate", "1759999999999.75"))
        },
    ]

    private static let parts: [VerificationCase] = notificationParts.map { part, json in
        VerificationCase("notification with \(part) alone", nil, .notification) {
            try $0.sign(Members(.notification).with("data", nil).with(part, json))
        }
    }

    private static let notificationParts: [(String, String)] = [
        ("summary", Members.summary(bundleId: TestStore.bundleId)),
        ("externalPurchaseToken", Members.token(id: "SANDBOX_9b0e")),
        ("appData", Members.appData(bundleId: TestStore.bundleId)),
    ]

    private static let others: [VerificationCase] = [
        VerificationCase("notification with a production token", nil, .notification, .production) {
            try $0.sign(
                Members(.notification).with("data", nil).with("externalPurchaseToken", Members.token(id: "9b0e")))
        },
        VerificationCase("notification with our data and a foreign summary", nil, .notification) {
            try $0.sign(Members(.notification).with("summary", Members.summary(bundleId: "com.example.other")))
        },
        VerificationCase("transaction of an app without its Apple ID", nil, .transaction, .withoutAppleID) {
            try $0.sign(Members(.transaction, environment: .production))
        },
        VerificationCase("Xcode data, enrolled", nil, .transaction, .xcodeEnrolled) { _ in
            try XcodeSigner.shared().sign(.xcode).text
        },
        VerificationCase("Xcode data, enrolled, without its kid", nil, .transaction, .xcodeEnrolled) { _ in
            try XcodeSigner.shared().sign(.xcode, kid: nil).text
        },
        VerificationCase("local testing data, enrolled", nil, .transaction, .xcodeEnrolled) { _ in
            try XcodeSigner.shared().sign(.localTesting).text
        },
        VerificationCase("the App Store's data, Xcode's certificate enrolled", nil, .transaction, .xcodeEnrolled) {
            try $0.sign(Members(.transaction))
        },
    ]
}
