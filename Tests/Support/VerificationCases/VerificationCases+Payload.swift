internal import AppStoreModels
internal import AppStoreTrust
internal import Foundation
internal import StoreSimulator

extension VerificationCases {
    /// Payloads with a valid signature that are not valid JSON of the expected type.
    static let payloadJSON: [VerificationCase] = payloads.map { name, change in
        VerificationCase("payload: " + name, .badJSON) { try $0.sign(json: Data(change(Members(.transaction)).utf8)) }
    }

    private static let payloads: [(String, @Sendable (Members) -> String)] = [
        ("empty object", { _ in "{}" }), ("null", { _ in "null" }), ("a number", { _ in "1" }),
        ("a string", { _ in #""text""# }), ("an array", { "[\($0.json)]" }), ("no JSON", { _ in "transaction" }),
        ("white space", { _ in "   " }), ("cut off", { String($0.json.dropLast()) }),
        ("garbage after", { $0.json + "x" }), ("two objects", { $0.json + $0.json }),
        ("10 000 arrays in each other", { $0.with("x", nested(10_000)).json }),
        ("10 000 objects in each other", { $0.with("x", nestedObjects(10_000)).json }),
        ("10 000 open arrays", { _ in String(repeating: "[", count: 10_000) }),
        ("32 arrays in each other", { $0.with("x", nested(32)).json }),
        ("a member twice", { $0.with("environment", "\"Production\",\"environment\":\"Sandbox\"").json }),
        ("a member twice, one escaped", { $0.with("bundleId", #""x","bundle\u0049d":"com.example.app""#).json }),
        ("a member twice, further in", { $0.with("x", #"{"y":1,"y":2}"#).json }),
        ("a control character in a member that nobody reads", { $0.with("x", "\"\u{2}\"").json }),
        ("a bad escape in a member that nobody reads", { $0.with("x", #""\q""#).json }),
        ("a byte order mark", { "\u{FEFF}" + $0.json }),
        ("a control character", { $0.with("productId", "\"\u{2}\"").json }),
        ("a lone surrogate", { $0.with("productId", #""\ud800""#).json }),
        ("a bad escape", { $0.with("productId", #""\q""#).json }),
        ("NaN", { $0.with("signedDate", "NaN").json }),
        ("an infinite date", { $0.with("signedDate", "1e999").json }),
        ("a date beyond 64 bits", { $0.with("signedDate", "99999999999999999999999999").json }),
        ("a date beyond all calendars", { $0.with("signedDate", "9007199254740993").json }),
        ("a date before all calendars", { $0.with("signedDate", "-9223372036854775808").json }),
        ("a date as text", { $0.with("signedDate", "\"1760000000000\"").json }),
        ("a date as null", { $0.with("signedDate", "null").json }),
        ("a quantity beyond 32 bits", { $0.with("quantity", "4294967297").json }),
        ("half a quantity", { $0.with("quantity", "1.5").json }),
        ("a quantity as text", { $0.with("quantity", "\"1\"").json }),
        ("a product as number", { $0.with("productId", "1").json }),
        ("a product as array", { $0.with("productId", "[]").json }),
        ("an environment as number", { $0.with("environment", "1").json }),
        ("a bundle as object", { $0.with("bundleId", "{}").json }),
        ("no transaction", { $0.with("transactionId", nil).json }),
        ("no product", { $0.with("productId", nil).json }),
        ("no bundle", { $0.with("bundleId", nil).json }),
        ("a bundle of null", { $0.with("bundleId", "null").json }),
        ("no environment", { $0.with("environment", nil).json }),
        ("no signing date", { $0.with("signedDate", nil).json }),
        ("members in capitals", { $0.json.uppercased() }),
    ]

    /// Valid payloads of another type, and invalid encodings.
    static let otherKinds: [VerificationCase] = [
        VerificationCase("payload: bytes that are no UTF-8", .badJSON) {
            try $0.sign(json: Data([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D]))
        },
        VerificationCase("payload: bytes that are no UTF-8 in a member that nobody reads", .badJSON) {
            var bytes = Data(Members(.transaction).with("zzz", "\"@@\"").json.utf8)
            bytes.replaceSubrange(bytes.count - 4..<bytes.count - 2, with: [0xFF, 0xFE])
            return try $0.sign(json: bytes)
        },
        VerificationCase("payload: UTF-16", .badJSON) {
            try $0.sign(json: Members(.transaction).json.data(using: .utf16LittleEndian) ?? Data())
        },
        VerificationCase("payload: a transaction taken for a notification", .badJSON, .notification) {
            try $0.sign(Members(.transaction))
        },
        VerificationCase("payload: a transaction taken for renewal information", .badJSON, .renewalInfo) {
            try $0.sign(Members(.transaction))
        },
        VerificationCase("payload: a notification taken for a transaction", .badJSON) {
            try $0.sign(Members(.notification))
        },
        VerificationCase("payload: renewal information taken for a transaction", .badJSON) {
            try $0.sign(Members(.renewalInfo))
        },
        VerificationCase("payload: a transaction taken for an app transaction", .badJSON, .appTransaction) {
            try $0.sign(Members(.transaction))
        },
        VerificationCase("payload: a transaction taken for a realtime request", .badJSON, .realtimeRequest) {
            try $0.sign(Members(.transaction))
        },
    ]

    /// Payloads that the App Store signed for another app.
    static let bundles: [VerificationCase] = bundleIds.map { bundleId in
        VerificationCase("transaction for the bundle \"\(bundleId)\"", .wrongApp) {
            try $0.sign(Members(.transaction).with("bundleId", "\"\(bundleId)\""))
        }
    }

    private static let bundleIds: [String] = [
        "com.example.other", "COM.EXAMPLE.APP", "com.example.app ", "com.example.app.widget", "com.example", "",
    ]

    static let otherApps: [VerificationCase] = [
        VerificationCase("app transaction for another bundle", .wrongApp, .appTransaction) {
            try $0.sign(Members(.appTransaction).with("bundleId", "\"com.example.other\""))
        },
        VerificationCase("app transaction for another Apple ID", .wrongApp, .appTransaction, .production) {
            try $0.sign(Members(.appTransaction, environment: .production).with("appAppleId", "1"))
        },
        VerificationCase("app transaction without an Apple ID", .wrongApp, .appTransaction, .production) {
            try $0.sign(Members(.appTransaction, environment: .production).with("appAppleId", nil))
        },
        VerificationCase("realtime request for another Apple ID", .wrongApp, .realtimeRequest, .production) {
            try $0.sign(Members(.realtimeRequest, environment: .production).with("appAppleId", "1"))
        },
        VerificationCase("realtime request, no Apple ID configured", .wrongApp, .realtimeRequest, .withoutAppleID) {
            try $0.sign(Members(.realtimeRequest, environment: .production))
        },
        notification("for another bundle", parts: ["data": Members.part(bundleId: "com.example.other")]),
        notification(
            "for another Apple ID", .production,
            parts: ["data": Members.part(environment: #""Production""#, appAppleId: "1")]),
        notification(
            "without an Apple ID", .production,
            parts: ["data": Members.part(environment: #""Production""#, appAppleId: nil)]),
        notification("without any part", parts: [:]),
        notification("with empty parts", parts: ["data": nil, "summary": "null", "appData": "null"]),
        notification(
            "with a foreign summary and our app data",
            parts: [
                "summary": Members.summary(bundleId: "com.example.other"),
                "appData": Members.appData(bundleId: TestStore.bundleId),
            ]),
        notification(
            "with foreign data and our summary",
            parts: [
                "data": Members.part(bundleId: "com.example.other"),
                "summary": Members.summary(bundleId: TestStore.bundleId),
            ]),
        notification(
            "with a foreign token", parts: ["externalPurchaseToken": Members.token(id: "SANDBOX_1", bundleId: "x")]),
        notification("with foreign app data", parts: ["appData": Members.appData(bundleId: "x")]),
    ]

    static let environments: [VerificationCase] = environmentNames.map { name in
        VerificationCase("transaction for the environment \"\(name)\"", .wrongEnvironment) {
            try $0.sign(Members(.transaction).with("environment", "\"\(name)\""))
        }
    }

    private static let environmentNames: [String] = ["Xcode", "LocalTesting", "production", "SANDBOX", "Staging", ""]

    static let otherEnvironments: [VerificationCase] = [
        VerificationCase(
            "transaction for production, sandbox configured", .wrongEnvironment, .transaction, .sandboxOnly
        ) {
            try $0.sign(Members(.transaction, environment: .production))
        },
        VerificationCase("renewal information for production", .wrongEnvironment, .renewalInfo, .sandboxOnly) {
            try $0.sign(Members(.renewalInfo, environment: .production))
        },
        VerificationCase("app transaction for production", .wrongEnvironment, .appTransaction, .sandboxOnly) {
            try $0.sign(Members(.appTransaction, environment: .production))
        },
        VerificationCase(
            "app transaction whose environment is another member", .wrongEnvironment, .appTransaction, .sandboxOnly
        ) {
            try $0.sign(Members(.appTransaction, environment: .production).with("environment", "\"Sandbox\""))
        },
        VerificationCase("realtime request for production", .wrongEnvironment, .realtimeRequest, .sandboxOnly) {
            try $0.sign(
                Members(.realtimeRequest, environment: .production))
        },
        notification(
            "for production, sandbox configured", .sandboxOnly,
            parts: ["data": Members.part(environment: #""Production""#)],
            .wrongEnvironment
        ),
        notification(
            "with a token that is not the sandbox's", .sandboxOnly,
            parts: ["externalPurchaseToken": Members.token(id: "9b0e")], .wrongEnvironment),
        notification(
            "with a token whose mark is not at its beginning", .sandboxOnly,
            parts: ["externalPurchaseToken": Members.token(id: "_SANDBOX_9b0e")], .wrongEnvironment),
    ]

    private static func notification(
        _ name: String, _ setting: VerificationCase.Setting = .standard, parts: [String: String?],
        _ code: VerificationError.Code = .wrongApp
    ) -> VerificationCase {
        VerificationCase("notification " + name, code, .notification, setting) {
            var members = Members(.notification).with("data", nil)
            for (part, json) in parts { members = members.with(part, json) }
            return try $0.sign(members)
        }
    }
}
