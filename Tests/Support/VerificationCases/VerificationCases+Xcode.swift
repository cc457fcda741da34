internal import AppStoreModels
internal import AppStoreTrust
internal import Crypto
internal import Foundation
internal import StoreSimulator

extension VerificationCases {
    /// Data signed by Xcode is accepted for local testing only, and the App Store's chain never for Xcode.
    static let xcode: [VerificationCase] = [
        VerificationCase("Xcode data, not enrolled", .notEnrolled, .transaction, .xcodeListed) { _ in
            try XcodeSigner.shared().sign(.xcode).text
        },
        VerificationCase("Xcode data, not enrolled, no environment listed", .notEnrolled) { _ in
            try XcodeSigner.shared().sign(.xcode).text
        },
        VerificationCase("Xcode data, not enrolled, without its kid", .chainLength, .transaction, .xcodeListed) { _ in
            try XcodeSigner.shared().sign(.xcode, kid: nil).text
        },
        VerificationCase("Xcode data, another certificate enrolled", .notEnrolled, .transaction, .xcodeEnrolled) { _ in
            try XcodeSigner().sign(.xcode).text
        },
        VerificationCase(
            "Xcode data, enrolled, environment not listed", .wrongEnvironment, .transaction, .xcodeUnlisted
        ) { _ in
            try XcodeSigner.shared().sign(.xcode).text
        },
        VerificationCase("Xcode speaks for production", .wrongEnvironment, .transaction, .xcodeEnrolled) { _ in
            try XcodeSigner.shared().sign(.production).text
        },
        VerificationCase("Xcode speaks for the sandbox", .wrongEnvironment, .transaction, .xcodeEnrolled) { _ in
            try XcodeSigner.shared().sign(.sandbox).text
        },
        VerificationCase("Xcode data with a changed signature", .badSignature, .transaction, .xcodeEnrolled) { _ in
            let other = try XcodeSigner.shared().sign(.localTesting)
            return try XcodeSigner.shared().sign(.xcode).changing { $0.signature = other.signature }.text
        },
        VerificationCase("Xcode's certificate, a stranger's signature", .badSignature, .transaction, .xcodeEnrolled) {
            _ in
            let json = Members(.transaction, environment: .xcode).json
            let x5c = EditableJWS.header([try XcodeSigner.shared().certificate.der])
            return try EditableJWS(header: Data(x5c.utf8), payload: Data(json.utf8), key: .init()).text
        },
        VerificationCase("Xcode's certificate before the App Store's chain", .chainLength, .transaction, .xcodeEnrolled)
        {
            try EditableJWS($0, chain: [try XcodeSigner.shared().certificate.der] + $0.chain).text
        },
        VerificationCase("Xcode's certificate as the leaf of three", .badChainRules, .transaction, .xcodeEnrolled) {
            let signer = try XcodeSigner.shared()
            let header = EditableJWS.header([signer.certificate.der, $0.intermediate.der, $0.root.der])
            let json = Members(.transaction, environment: .xcode).json
            return try EditableJWS(header: Data(header.utf8), payload: Data(json.utf8), key: signer.key).text
        },
        VerificationCase("Xcode's certificate as the root of three", .untrustedRoot, .transaction, .xcodeEnrolled) {
            try EditableJWS($0, chain: [$0.leaf.der, $0.intermediate.der, try XcodeSigner.shared().certificate.der])
                .text
        },
        VerificationCase("the App Store's chain speaks for Xcode", .wrongEnvironment, .transaction, .xcodeListed) {
            try $0.sign(Members(.transaction, environment: .xcode))
        },
        VerificationCase(
            "the App Store's chain speaks for local testing", .wrongEnvironment, .transaction, .xcodeEnrolled
        ) {
            try $0.sign(Members(.transaction, environment: .localTesting))
        },
    ]
}
