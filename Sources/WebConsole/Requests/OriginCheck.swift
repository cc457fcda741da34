internal import Basics
internal import HTTPTypes
package import Hummingbird

/// Refuses requests that pages of other origins send (CSRF, DNS rebinding).
///
/// Any page can make a browser send requests with the cookies of this server, and a page's own host name may resolve to
/// this server. So `Host` must be a name of this server, and requests that change anything must come from the same
/// origin. As in Go 1.25 and ASP.NET 11, `Sec-Fetch-Site` decides, or else `Origin`.
package struct OriginCheck: Sendable {
    /// The reason why a request is refused.
    package enum Refusal: String, Sendable {
        /// `Host` is not a name of this server.
        case foreignHost = "foreign_host"
        /// A page of another origin sends the request.
        case foreignOrigin = "foreign_origin"
        /// No header names the origin of the request.
        case unknownOrigin = "unknown_origin"
    }

    /// Whether a `Host`, with or without a port, is a name of this server.
    private let isOwnHost: @Sendable (String) -> Bool
    /// Whether clients other than browsers, which send neither `Sec-Fetch-Site` nor `Origin`, may make changes.
    private let allowsNonBrowsers: Bool

    package init(allowsNonBrowsers: Bool, isOwnHost: @escaping @Sendable (String) -> Bool) {
        (self.isOwnHost, self.allowsNonBrowsers) = (isOwnHost, allowsNonBrowsers)
    }

    /// Returns the reason to refuse a request; nil to allow it.
    package func refusal(of request: Request) -> Refusal? {
        refusal(
            method: request.method.rawValue, host: request.head.authority, origin: request.headers[.origin],
            site: request.headers[.fetchSite], mode: request.headers[.fetchMode],
            destination: request.headers[.fetchDestination])
    }

    /// Returns the reason to refuse a request with these headers; nil to allow it.
    package func refusal(
        method: String, host: String?, origin: String?, site: String?, mode: String? = nil, destination: String? = nil
    ) -> Refusal? {
        // Browsers always send a host.
        if let host {
            guard isOwnHost(host) else { return .foreignHost }
        } else if !allowsNonBrowsers {
            return .foreignHost
        }
        let site = site?.lowercased()
        // With `Referrer-Policy: no-referrer`, browsers send `Origin: null` for this server's forms too. Then
        // `Sec-Fetch-Site` decides.
        if let origin, !isOwn(origin, host), origin.lowercased() != "null" || site == nil { return .foreignOrigin }
        if method == "GET" || method == "HEAD" {
            // From other sites, allow only links to pages.
            if site == "cross-site" || site == "same-site" {
                return mode == "navigate" && destination == "document" ? nil : .foreignOrigin
            }
            return nil
        }
        if let site { return site == "same-origin" || site == "none" ? nil : .foreignOrigin }
        return origin != nil || allowsNonBrowsers ? nil : .unknownOrigin
    }

    // `null` is not the own origin: any page can hide its origin.
    private func isOwn(_ origin: String, _ host: String?) -> Bool {
        guard let host = host?.lowercased() else { return false }
        return ["http://" + host, "https://" + host].contains(origin.lowercased())
    }

    /// Whether a host, with or without a port, is a loopback name of this machine.
    package static func isLoopback(_ host: String) -> Bool {
        guard let name = name(of: host) else { return false }
        return ["127.0.0.1", "localhost", "[::1]"].contains(name)
    }

    /// Whether a host, with or without a port, has one of these names. IPv6 addresses are equal in any notation:
    /// browsers send the shortest form in brackets, configurations contain any form without brackets.
    package static func isNamed(_ host: String, oneOf names: [String]) -> Bool {
        guard let name = name(of: host) else { return false }
        return names.contains { canonical($0.lowercased()) == canonical(name) }
    }

    private static func canonical(_ name: String) -> String {
        let bare = name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
        return bare.contains(":") ? Network(bare)?.key ?? bare : bare
    }

    /// Returns the name in `name:port`, in lower case; nil if the port is invalid.
    package static func name(of host: String) -> String? {
        let host = host.lowercased()
        // A port is digits after the last colon that is not within an IPv6 address.
        guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") else { return host }
        let port = host[host.index(after: colon)...]
        guard port.isDigits(upTo: 5) else { return nil }
        return String(host[..<colon])
    }
}

extension HTTPField.Name {
    // https://www.w3.org/TR/fetch-metadata/
    fileprivate static let fetchSite = Self("Sec-Fetch-Site") ?? .origin
    fileprivate static let fetchMode = Self("Sec-Fetch-Mode") ?? .origin
    fileprivate static let fetchDestination = Self("Sec-Fetch-Dest") ?? .origin
}
