internal import AppStoreTrust
internal import Foundation

/// The result of decoding pasted data.
package struct DecodeVerdict {
    /// One step of a verification.
    package struct Check {
        package enum Result: String { case passed, failed, notReached = "not_reached", notAsked = "not_asked" }

        package var name: String
        package var result: Result
        /// The reason of a failure, or a finding.
        var note: String?
    }

    /// The kind of data: `transaction`, `receipt`, `webhook` and so on; or `unknown`.
    package var kind: String
    /// Whether everything that can be verified was verified.
    package var isProven = false
    /// The reason why it was not, for programs.
    package var code: String?
    /// The result in a sentence.
    package var message: String
    /// Every check, in the order of the verification.
    package var checks: [Check] = []
    /// The contents as JSON. Untrusted unless ``isProven``.
    package var payload: [UInt8]?
    var trace: VerificationTrace?
    /// The nested signed data, and the member that contained it.
    package var parts: [Part] = []
    /// The app, environment and transaction that the data names.
    var subject = Subject()

    /// Nested data, and the member that contained it.
    package struct Part {
        package var name: String
        package var verdict: DecodeVerdict
    }

    struct Subject {
        var bundleID, environment, transactionID, notification: String?
    }
}

/// The checks of a kind of signed data in their order, and the error codes that each check throws.
struct CheckList {
    var steps: [(name: String, codes: [VerificationError.Code])]

    /// Returns the results of all checks: those before the failed one passed, those after it were not reached.
    func results(_ error: VerificationError?, revocation: RevocationFinding?) -> [DecodeVerdict.Check] {
        let failed = error.map { error in
            let indices = steps.indices.filter { steps[$0].codes.contains(error.code) }
            return (Self.isFromLaterStep(error) ? indices.last : indices.first) ?? 0
        }
        return steps.enumerated().map { index, step in
            if step.name == "revocation", failed == nil { return Self.check(revocation) }
            guard let failed, index >= failed else { return .init(name: step.name, result: .passed) }
            return index == failed
                ? .init(name: step.name, result: .failed, note: error?.message)
                : .init(name: step.name, result: .notReached)
        }
    }

    /// Whether the error belongs to the later of two checks with the same code. Only the message tells.
    private static func isFromLaterStep(_ error: VerificationError) -> Bool {
        switch error.code {
        case .badJSON: error.message.hasPrefix("the payload")
        case .badChainSignature: !error.message.contains("names another issuer")
        default: false
        }
    }

    private static func check(_ finding: RevocationFinding?) -> DecodeVerdict.Check {
        switch finding?.status {
        case .good: .init(name: "revocation", result: .passed)
        case .unknown: .init(name: "revocation", result: .failed, note: finding?.explanation)
        case .notChecked, nil: .init(name: "revocation", result: .notAsked, note: finding?.explanation)
        }
    }

    static let signedData = CheckList(steps: [
        ("size", [.tooLarge]), ("form", [.malformedCompactForm, .badBase64URL]),
        ("header", [.badJSON, .unsupportedHeader, .unsupportedAlgorithm]),
        ("chain_length", [.chainLength, .notEnrolled]),
        ("anchor", [.untrustedRoot]), ("certificates", [.certificateMalformed]), ("rules", [.badChainRules]),
        ("markers", [.missingLeafMarker, .missingIntermediateMarker]), ("names", [.badChainSignature]),
        ("chain_signatures", [.badChainSignature]), ("signature", [.badSignature]), ("payload", [.badJSON]),
        ("dates", [.expiredOrNotYetValid]),
        ("app_and_environment", [.wrongEnvironment, .wrongApp]), ("revocation", [.revoked, .revocationUnknown]),
    ])

    static let receipt = CheckList(steps: [
        ("size", [.tooLarge]), ("form", [.malformedReceipt, .badBase64URL, .badJSON]),
        ("algorithm", [.unsupportedAlgorithm]),
        (
            "chain",
            [
                .chainLength, .notEnrolled, .untrustedRoot, .certificateMalformed, .badChainRules, .missingLeafMarker,
                .missingIntermediateMarker, .badChainSignature,
            ]
        ),
        ("signature", [.badSignature]), ("dates", [.expiredOrNotYetValid]), ("environment", [.wrongEnvironment]),
        ("app", [.wrongApp]), ("expiration", [.receiptExpired]), ("revocation", [.revoked, .revocationUnknown]),
    ])

    static let certificates = CheckList(steps: [
        ("size", [.tooLarge]), ("form", [.certificateMalformed]), ("chain_length", [.chainLength]),
        ("anchor", [.untrustedRoot]), ("rules", [.badChainRules]),
        ("markers", [.missingLeafMarker, .missingIntermediateMarker]), ("names", [.badChainSignature]),
        ("chain_signatures", [.badChainSignature]), ("dates", [.expiredOrNotYetValid]),
    ])
}
