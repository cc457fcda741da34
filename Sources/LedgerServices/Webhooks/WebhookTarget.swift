internal import Basics
internal import Foundation

/// The parsed and checked URL of a webhook. The check prevents requests into the server's own network (SSRF).
package struct WebhookTarget: Sendable, Hashable {
    /// The normalized URL, without user, password and fragment.
    package let url: String
    /// The host: a name in lower case, or an IP address without brackets.
    package let host: String
    package let port: Int
    /// Whether the host is an IP address.
    private let isLiteral: Bool

    /// Why a URL is refused.
    package struct Refusal: Error, Hashable, CustomStringConvertible {
        package enum Code: String, Hashable, Sendable, CaseIterable {
            case malformed = "invalid_url"
            case insecure = "insecure_url"
            case unresolved = "host_not_found"
            case notPublic = "address_not_public"
        }

        package let code: Code
        package let description: String
    }

    /// Parses and checks a URL.
    ///
    /// - Parameter allowsHTTP: Whether the scheme may be `http`.
    package init(_ text: String, allowsHTTP: Bool) throws(Refusal) {
        guard text.utf8.count <= 2048, var parts = URLComponents(string: text), parts.user == nil,
            parts.password == nil, let scheme = parts.scheme?.lowercased(), ["https", "http"].contains(scheme),
            let name = parts.host?.lowercased(), !name.isEmpty
        else { throw Refusal(code: .malformed, description: "expected a URL such as https://example.com/hooks") }
        guard scheme == "https" || allowsHTTP else {
            throw Refusal(code: .insecure, description: "events about customers are sent over HTTPS only")
        }
        let literal = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
        isLiteral = Self.isAddress(literal)
        host = isLiteral ? literal : name
        guard isLiteral || Self.isName(name) else {
            // Foundation decodes host names written as xn--….
            guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw Refusal(
                    code: .malformed,
                    description: "internationalized host names are not supported, not even as xn--…: use another name")
            }
            throw Refusal(
                code: .malformed,
                description: """
                    the host of the URL must be a name of Latin letters, digits, - and _, or an IP address in its usual form
                    """)
        }
        parts.scheme = scheme
        parts.host = name
        parts.fragment = nil
        guard let url = parts.string, parts.port ?? 443 > 0, parts.port ?? 443 < 65536 else {
            throw Refusal(code: .malformed, description: "expected a URL such as https://example.com/hooks")
        }
        self.url = url
        port = parts.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Resolves the host and returns the addresses to connect to.
    ///
    /// - Parameter allowsPrivate: Whether addresses of this machine and of private networks are allowed.
    /// - Throws: ``Refusal`` if the host has no address, or if one address is not public and `allowsPrivate` is false.
    package func addresses(
        allowsPrivate: Bool, resolve: @Sendable (String) async -> [String] = WebhookTarget.resolve
    ) async throws(Refusal) -> [String] {
        let found = isLiteral ? [host] : await resolve(host)
        guard !found.isEmpty else { throw Refusal(code: .unresolved, description: "the host has no address") }
        // One private address is enough to refuse: a mix of public and private addresses suggests an attack.
        guard allowsPrivate || found.allSatisfy(Self.isPublic) else {
            throw Refusal(code: .notPublic, description: "the host belongs to this machine or to a private network")
        }
        return found
    }

    /// Whether an IP address belongs to the public internet.
    package static func isPublic(_ address: String) -> Bool {
        isAddress(address) && !Network.notPublic.contains { $0.contains(address) }
    }

    private static func isAddress(_ text: String) -> Bool { Network(text) != nil && !text.contains("/") }

    /// Whether `text` is a DNS name. A last label that begins with a digit is refused, because resolvers read such
    /// hosts as IP addresses: 2130706433, 0177.1, 0x7f000001.
    private static func isName(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, let last = labels.last, let first = last.utf8.first,
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy {
                    $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                }
        }
    }

    /// Resolves a host name with the system's resolver. Returns an empty array on failure.
    package static let resolve: @Sendable (String) async -> [String] = { host in
        await onThread { systemAddresses(of: host) } ?? []
    }

    /// Runs blocking work on a new thread and returns its result; nil if the task is cancelled first. The thread
    /// continues after a cancellation.
    ///
    /// A lookup takes half a minute if no name server answers. All tasks share the threads of the global queues: eight
    /// hanging lookups there would stop the whole server.
    package static func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        let (values, end) = AsyncStream.makeStream(of: Value.self)
        Thread.detachNewThread {
            end.yield(work())
            end.finish()
        }
        return await values.first { _ in true }
    }

    /// Resolves a host name, and blocks the thread meanwhile. Returns an empty array on failure.
    package static func systemAddresses(of host: String) -> [String] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var entry = list
        while let current = entry {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let result = getnameinfo(
                current.pointee.ai_addr, current.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
                NI_NUMERICHOST)
            let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            if result == 0 { addresses.append(String(decoding: bytes, as: UTF8.self)) }
            entry = current.pointee.ai_next
        }
        return addresses
    }
}
