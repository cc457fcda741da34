/// Why an OCSP request has no usable response. Becomes ``RevocationFinding/explanation``.
package struct OCSPProblem: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// Describes a failure of the transport. Errors of other types are not quoted, because their descriptions name
    /// types of this program.
    init(transport error: any Error) {
        self = error as? OCSPProblem ?? OCSPProblem("no answer from the responder")
    }

    /// Describes why a response is not used.
    init(reading error: any Error) {
        self = error as? OCSPProblem ?? OCSPProblem("the responder sent no answer that can be read")
    }
}
