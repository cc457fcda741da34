internal import Basics
internal import HTTPTypes
internal import Hummingbird

/// Where a request comes from: the other side of the connection, or, if that is a trusted proxy, who it speaks for.
struct ClientAddress {
    /// The address; nil for a connection that has none.
    let address: String?
    /// Whether somebody passed the request on whom nobody told us to trust.
    private let isPassedOn: Bool

    private static let forwardedFor = HTTPField.Name("x-forwarded-for")
    private static let traces = [forwardedFor, HTTPField.Name("forwarded"), HTTPField.Name("x-real-ip")]
        .compactMap(\.self)

    init(of request: Request, from peer: String?, _ listen: ServerConfiguration.Listen) {
        let proxies = listen.trustedProxies
        guard let peer, proxies.contains(where: { $0.contains(peer) }) else {
            address = peer
            isPassedOn = Self.traces.contains { request.headers[$0] != nil }
            return
        }
        isPassedOn = false
        // Each proxy adds on the right whom it heard it from: what is left of the first stranger is the stranger's word.
        let fields = Self.forwardedFor.map { request.headers[values: $0] } ?? []
        let hops = fields.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map(Self.host)
        address = hops.last { hop in !proxies.contains { $0.contains(hop) } } ?? hops.first ?? peer
    }

    /// Whether it is certain that the request was made here.
    var isThisMachine: Bool { !isPassedOn && isIn(Network.loopback) }

    /// What limits count the client by: an IPv4 address, or of IPv6 the network of 64 bits that one subscriber has.
    var countedAs: String {
        guard let address else { return "unknown" }
        return Network.ofClient(at: address)?.key ?? address
    }

    func isIn(_ networks: [Network]) -> Bool {
        guard let address else { return false }
        return networks.contains { $0.contains(address) }
    }

    /// `17.1.2.3`, `17.1.2.3:443`, `2001:db8::1` or `[2001:db8::1]:443`, without the port.
    private static func host(_ text: Substring) -> String {
        let text = text.trimmingPrefix(while: \.isWhitespace).prefix { !$0.isWhitespace }
        if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return String(parts.count == 2 ? parts[0] : text)
    }
}
