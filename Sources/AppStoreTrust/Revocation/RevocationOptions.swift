public import Foundation

/// How revocation is checked.
///
/// Times are in seconds. As a limit or a pause, a negative value and NaN count as zero, and more than thirty years as
/// thirty years.
public struct RevocationOptions: Sendable {
    /// How an unknown status is treated. With ``RevocationPolicy/off`` no request is sent.
    public var policy: RevocationPolicy

    /// Sends the requests.
    public var transport: any RevocationTransport

    /// The hosts to which requests may be sent. A certificate names its responder, and must not direct requests to any
    /// other host. Default: Apple's.
    public var allowedHosts: Set<String> = ["ocsp.apple.com", "ocsp2.apple.com"]

    /// The time limit of one request, in seconds. Default: 5. With ``RevocationPolicy/hard`` a verification waits for
    /// as long.
    public var timeLimit: TimeInterval = 5

    /// How long a verification waits for a request with ``RevocationPolicy/soft``, in seconds. Default: 1. The request
    /// continues in the background, and other verifications do not wait for it. A slow responder therefore delays only
    /// the verifications that are running during its first request.
    public var maximumWait: TimeInterval = 1

    /// How long before its expiry a response is renewed in the background, in seconds. Default: one hour.
    public var refreshAhead: TimeInterval = 3600

    /// How long an expired good response is used while the responder does not respond, in seconds. Default: one hour.
    public var staleWindow: TimeInterval = 3600

    /// The pause after a failed request, in seconds. Default: 30; with ``RevocationPolicy/hard`` 5, because everything
    /// is refused meanwhile. With `hard` the pause also ends when the date has moved on by as much.
    public var pauseAfterFailure: TimeInterval

    /// The maximum size of a response, in bytes. Default: 64 KiB.
    public var maximumResponseBytes = 64 * 1024

    /// The clock for limits and pauses. It is independent of the verifier's date. Default: a clock that only moves
    /// forward, also while the machine sleeps.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Creates options that send requests through `transport`.
    public init(policy: RevocationPolicy, transport: any RevocationTransport) {
        self.policy = policy
        self.transport = transport
        pauseAfterFailure = policy == .hard ? 5 : 30
    }
}

/// Sends OCSP requests to a responder (RFC 6960 appendix A).
public protocol RevocationTransport: Sendable {
    /// Sends `request` by POST with the content type `application/ocsp-request`, and returns the body of a response
    /// with status 200.
    ///
    /// Must not follow redirects, must stop reading after `maximumResponseBytes`, and must end when its task is
    /// cancelled.
    func send(_ request: Data, to responder: URL, maximumResponseBytes: Int) async throws -> Data
}
