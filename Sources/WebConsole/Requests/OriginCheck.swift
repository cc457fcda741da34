internal import Basics
internal import HTTPTypes
package import Hummingbird

/// Decides whether a request comes from a page of this server, or from no page at all.
///
/// A browser sends whatever any page asks it to, with the cookies of this server, and a page may have a name of its own that
/// leads here (DNS rebinding). So the name that the request gives this server has to be one of its own, and who changes
/// anything has to come from the same origin: as in Go 1.25 and ASP.NET 11, by `Sec-Fetch-Site`, else by `Origin`.
package struct OriginCheck: Sendable {
    /// Why a request is refused.
    package enum Refusal: String, Sendable {
        /// The name that the request gives this server is not its own.
        case foreignHost = "foreign_host"
        /// Another page sends it.
        case foreignOrigin = "foreign_origin"
        /// Nothing says who sends it.
        case unknownOrigin = "unknown_origin"
    }

    /// Whether a `Host`, with its port if it has one, is this server.
    private let isOwnHost: @Sendable (String) -> Bool
    /// Whether a change may come from something that is no browser: it says neither `Sec-Fetch-Site` nor `Origin`.
    private let admitsPrograms: Bool

    package init(admitsPrograms: Bool, isOwnHost: @escaping @Sendable (String) -> Bool) {
        (self.isOwnHost, self.admitsPrograms) = (isOwnHost, admitsPrograms)
    }

    /// Why the request is refused; nil if it is not.
    package func refusal(of request: Request) -> Refusal? {
        refusal(
            method: request.method.rawValue, host: request.head.authority, origin: request.headers[.origin],
            site: request.headers[.fetchSite], mode: request.headers[.fetchMode],
            destination: request.headers[.fetchDestination])
    }

    package func refusal(
        method: String, host: String?, origin: String?, site: String?, mode: String? = nil, destination: String? = nil
    ) -> Refusal? {
        // Whoever names no host is no browser.
        if let host {
            guard isOwnHost(host) else { return .foreignHost }
        } else if !admitsPrograms {
            return .foreignHost
        }
        let site = site?.lowercased()
        // Under `Referrer-Policy: no-referrer` a browser says `null` of a form of ours too; then the site decides.
        if let origin, !isOwn(origin, host), origin.lowercased() != "null" || site == nil { return .foreignOrigin }
        if method == "GET" || method == "HEAD" {
            // Somebody may follow a link to a page; nothing else of another site has to read anything here.
            if site == "cross-site" || site == "same-site" {
                return mode == "navigate" && destination == "document" ? nil : .foreignOrigin
            }
            return nil
        }
        if let site { return site == "same-origin" || site == "none" ? nil : .foreignOrigin }
        return origin != nil || admitsPrograms ? nil : .unknownOrigin
    }

    // `null` is any page that hides where it is from.
    private func isOwn(_ origin: String, _ host: String?) -> Bool {
        guard let host = host?.lowercased() else { return false }
        return ["http://" + host, "https://" + host].contains(origin.lowercased())
    }

    /// Whether a host, with a port or without, is this machine by one of its own names.
    package static func isLoopback(_ host: String) -> Bool {
        guard let name = name(of: host) else { return false }
        return ["127.0.0.1", "localhost", "[::1]"].contains(name)
    }

    /// Whether a host, with a port or without, has one of these names. A browser writes an IPv6 address in brackets and as
    /// short as it can be; a configuration writes it without, and in any form.
    package static func isNamed(_ host: String, oneOf names: [String]) -> Bool {
        guard let name = name(of: host) else { return false }
        return names.contains { canonical($0.lowercased()) == canonical(name) }
    }

    private static func canonical(_ name: String) -> String {
        let bare = name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
        return bare.contains(":") ? Network(bare)?.key ?? bare : bare
    }

    /// The name in `name:port`, in lower case; nil where the port is none.
    package static func name(of host: String) -> String? {
        let host = host.lowercased()
        // A port is digits after the last colon that is not within an IPv6 address.
        guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") else { return host }
        let port = host[host.index(after: colon)...]
        guard (1...5).contains(port.utf8.count), port.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return String(host[..<colon])
    }
}

extension HTTPField.Name {
    // https://www.w3.org/TR/fetch-metadata/
    fileprivate static let fetchSite = Self("Sec-Fetch-Site") ?? .origin
    fileprivate static let fetchMode = Self("Sec-Fetch-Mode") ?? .origin
    fileprivate static let fetchDestination = Self("Sec-Fetch-Dest") ?? .origin
}
