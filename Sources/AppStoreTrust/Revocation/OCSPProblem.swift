/// Why a question to an OCSP responder brought nothing. Ends up in ``RevocationFinding/explanation``.
package struct OCSPProblem: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// What a transport failed with. Other errors than ours are not quoted: they name types of this program, not what is
    /// wrong.
    init(transport error: any Error) {
        self = error as? OCSPProblem ?? OCSPProblem("no answer from the responder")
    }

    /// Why an answer is not used.
    init(reading error: any Error) {
        self = error as? OCSPProblem ?? OCSPProblem("no answer that can be read from the responder")
    }
}
