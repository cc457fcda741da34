internal import AppStoreTrust
internal import Foundation

/// What was found about something that somebody pasted.
package struct DecodeVerdict {
    /// One step of a verification.
    package struct Check {
        package enum Result: String { case passed, failed, notReached = "not_reached", notAsked = "not_asked" }

        package var name: String
        package var result: Result
        /// Why it failed, or what it found.
        var note: String?
    }

    /// What it is: `transaction`, `receipt`, `webhook` and so on; `unknown`.
    package var kind: String
    /// Whether everything that can be proven about it was.
    package var isProven = false
    /// The reason why not, for programs.
    package var code: String?
    /// The verdict in a sentence.
    package var message: String
    /// Every check in the order in which it is made.
    package var checks: [Check] = []
    /// What it says, as JSON. Not to be believed unless ``isProven``.
    package var payload: [UInt8]?
    var trace: VerificationTrace?
    /// What is inside of it, and in which member.
    package var parts: [Part] = []
    /// The app, environment and transaction that it is about, by its own word.
    var subject = Subject()

    /// Something inside, and the member that it was in.
    package struct Part {
        package var name: String
        package var verdict: DecodeVerdict
    }

    struct Subject {
        var bundleID: String?
        var environment: String?
        var transactionID: String?
        var notification: String?
    }
}

/// The checks of a kind of signed data, in their order, and which reasons belong to which.
struct CheckList {
    var steps: [(name: String, codes: [VerificationError.Code])]

    /// The checks as they came out: all before the one that failed have passed, all after it were not reached.
    func results(_ error: VerificationError?, revocation: RevocationFinding?) -> [DecodeVerdict.Check] {
        let failed = error.map { error in
            let indices = steps.indices.filter { steps[$0].codes.contains(error.code) }
            return (Self.isOfTheLater(error) ? indices.last : indices.first) ?? 0
        }
        return steps.enumerated().map { index, step in
            if step.name == "revocation", failed == nil { return Self.check(revocation) }
            guard let failed, index >= failed else { return .init(name: step.name, result: .passed) }
            return index == failed
                ? .init(name: step.name, result: .failed, note: error?.message)
                : .init(name: step.name, result: .notReached)
        }
    }

    /// Of two steps that fail with one code, which it was: the reason says so.
    private static func isOfTheLater(_ error: VerificationError) -> Bool {
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
