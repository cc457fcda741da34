public import Foundation

/// How revocation is asked about.
public struct RevocationOptions: Sendable {
    /// What an unknown answer means. With ``RevocationPolicy/off`` nobody is asked.
    public var policy: RevocationPolicy

    /// Who carries the questions.
    public var transport: any RevocationTransport

    /// The hosts that may be asked. A certificate names its responder, and a name must not send this server elsewhere.
    /// Default: Apple's.
    public var allowedHosts: Set<String> = ["ocsp.apple.com", "ocsp2.apple.com"]

    /// How long one question may take, in seconds. Default: 5. With ``RevocationPolicy/hard`` a verification waits for as
    /// long.
    public var timeLimit: TimeInterval = 5

    /// How long a verification waits for a question with ``RevocationPolicy/soft``, in seconds. Default: 1. The question
    /// goes on in the background. Until an answer has come no other verification waits: a slow responder holds up only
    /// those that are under way when it is asked for the first time.
    public var maximumWait: TimeInterval = 1

    /// How long before its end an answer is renewed in the background, in seconds. Default: one hour.
    public var refreshAhead: TimeInterval = 3600

    /// How long after its end a good answer is still used while the responder does not answer, in seconds. Default: one
    /// hour.
    public var staleWindow: TimeInterval = 3600

    /// How long nobody asks again after a question that got no answer, in seconds. Default: 30, with
    /// ``RevocationPolicy/hard`` 5, because everything is refused meanwhile; there it also ends when the date has moved on by
    /// as much.
    public var pauseAfterFailure: TimeInterval

    /// The largest answer that is read, in bytes. Default: 64 KiB.
    public var maximumResponseBytes = 64 * 1024

    /// The clock for waiting: limits and pauses go by it, whatever date the verifier is told. Default: one that only moves
    /// forward, also while the machine sleeps.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Asks through `transport` under `policy`.
    public init(policy: RevocationPolicy, transport: any RevocationTransport) {
        self.policy = policy
        self.transport = transport
        pauseAfterFailure = policy == .hard ? 5 : 30
    }
}

/// Carries OCSP questions to a responder (RFC 6960 appendix A).
public protocol RevocationTransport: Sendable {
    /// Sends `request` by POST with the content type `application/ocsp-request` and returns the body of a 200 answer.
    ///
    /// Must not follow redirects, must stop reading at `maximumBytes`, and must end when its task is cancelled.
    func answer(to request: Data, from responder: URL, maximumBytes: Int) async throws -> Data
}
