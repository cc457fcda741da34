internal import Basics
internal import HTTPTypes
internal import Hummingbird

/// The client's address: the peer of the connection, or the forwarded address if the peer is a trusted proxy.
struct ClientAddress {
    /// The address; nil if the connection has none.
    let address: String?
    /// Whether the request has forwarding headers, but its peer is not a trusted proxy.
    private let hasUntrustedForwarding: Bool

    private static let forwardedFor = HTTPField.Name("x-forwarded-for")
    private static let forwardingHeaders = [forwardedFor, HTTPField.Name("forwarded"), HTTPField.Name("x-real-ip")]
        .compactMap(\.self)

    init(of request: Request, from peer: String?, _ listen: ServerConfiguration.Listen) {
        let proxies = listen.trustedProxies
        guard let peer, proxies.contains(where: { $0.contains(peer) }) else {
            address = peer
            hasUntrustedForwarding = Self.forwardingHeaders.contains { request.headers[$0] != nil }
            return
        }
        hasUntrustedForwarding = false
        // Each proxy appends the address of its peer. Entries to the left of the first untrusted address are set by the
        // client and cannot be trusted.
        let fields = Self.forwardedFor.map { request.headers[values: $0] } ?? []
        let hops = fields.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map(Self.host)
        address = hops.last { hop in !proxies.contains { $0.contains(hop) } } ?? hops.first ?? peer
    }

    /// Whether the request certainly comes from this machine.
    var isLocal: Bool { !hasUntrustedForwarding && isIn(Network.loopback) }

    /// The key for rate limits: the IPv4 address, or the /64 network of an IPv6 address, which one subscriber has.
    var rateLimitKey: String {
        guard let address else { return "unknown" }
        return Network.ofClient(at: address)?.key ?? address
    }

    func isIn(_ networks: [Network]) -> Bool {
        guard let address else { return false }
        return networks.contains { $0.contains(address) }
    }

    /// Returns the host of `17.1.2.3`, `17.1.2.3:443`, `2001:db8::1` or `[2001:db8::1]:443`, without the port.
    private static func host(_ text: Substring) -> String {
        let text = text.trimmingPrefix(while: \.isWhitespace).prefix { !$0.isWhitespace }
        if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return String(parts.count == 2 ? parts[0] : text)
    }
}
