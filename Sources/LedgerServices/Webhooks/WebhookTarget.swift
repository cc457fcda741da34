internal import Ledger
internal import Basics
internal import Foundation

/// Where a webhook leads, taken apart and checked: whoever may name a URL must not be able to reach the network behind the
/// server through it.
package struct WebhookTarget: Sendable, Hashable {
    /// The URL in one fixed form, without user, password and fragment.
    package let url: String
    /// The host: a name in lower case, or an address without brackets.
    package let host: String
    package let isLiteral: Bool

    /// Why a URL is refused.
    package struct Refusal: Error, Hashable, CustomStringConvertible {
        package enum Code: String, Hashable, Sendable {
            case malformed = "invalid_url"
            case insecure = "insecure_url"
            case unresolved = "host_not_found"
            case notPublic = "address_not_public"
        }

        package let code: Code
        package let description: String
    }

    /// Takes a URL apart.
    ///
    /// - Parameter allowsHTTP: Whether it may be plain HTTP.
    package init(_ text: String, allowsHTTP: Bool) throws(Refusal) {
        guard text.utf8.count <= 2048, var parts = URLComponents(string: text), parts.user == nil,
            parts.password == nil, let scheme = parts.scheme?.lowercased(), ["https", "http"].contains(scheme),
            let name = parts.host?.lowercased(), !name.isEmpty
        else { throw Refusal(code: .malformed, description: "the URL is none such as https://example.com/hooks") }
        guard scheme == "https" || allowsHTTP else {
            throw Refusal(code: .insecure, description: "events about customers are sent over HTTPS only")
        }
        let literal = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
        isLiteral = Self.isAddress(literal)
        host = isLiteral ? literal : name
        guard isLiteral || Self.isName(name) else {
            // Foundation decodes what is written as xn--….
            guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw Refusal(
                    code: .malformed,
                    description: "internationalized host names are not supported, also as xn--…: use another name")
            }
            throw Refusal(
                code: .malformed,
                description: """
                    the host of the URL is neither a name of Latin letters, digits, - and _ nor an address in its usual form
                    """)
        }
        parts.scheme = scheme
        parts.host = name
        parts.fragment = nil
        guard let url = parts.string, parts.port ?? 443 > 0, parts.port ?? 443 < 65536 else {
            throw Refusal(code: .malformed, description: "the URL is none such as https://example.com/hooks")
        }
        self.url = url
    }

    /// The addresses that may be connected to.
    ///
    /// - Parameter allowsPrivate: Whether they may be of this machine or a private network.
    package func addresses(
        allowsPrivate: Bool, resolve: @Sendable (String) async -> [String] = WebhookTarget.resolve
    ) async throws(Refusal) -> [String] {
        let found = isLiteral ? [host] : await resolve(host)
        guard !found.isEmpty else { throw Refusal(code: .unresolved, description: "the host has no address") }
        // One bad address is enough: whoever mixes them tries something.
        guard allowsPrivate || found.allSatisfy(Self.isPublic) else {
            throw Refusal(code: .notPublic, description: "the host is of this machine or a private network")
        }
        return found
    }

    /// Whether an address is one of the public internet.
    package static func isPublic(_ address: String) -> Bool {
        isAddress(address) && !Network.notPublic.contains { $0.contains(address) }
    }

    private static func isAddress(_ text: String) -> Bool { Network(text) != nil && !text.contains("/") }

    /// Whether it is a name of the DNS. What ends in a number is an address in disguise: 2130706433, 0177.1, 0x7f000001.
    private static func isName(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, let last = labels.last, let first = last.utf8.first,
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                        UInt8(ascii: "-"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
    }

    /// Asks the system's resolver.
    package static let resolve: @Sendable (String) async -> [String] = { host in
        await onThread { systemAddresses(of: host) } ?? []
    }

    /// What work gives that blocks; nil where the task is cancelled first, which does not wait for it.
    ///
    /// A lookup takes half a minute where no server of names answers. All tasks share the threads of the global queues: eight
    /// lookups that hang there would stop the whole server.
    static func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        let (values, end) = AsyncStream.makeStream(of: Value.self)
        Thread.detachNewThread {
            end.yield(work())
            end.finish()
        }
        return await values.first { _ in true }
    }

    private static func systemAddresses(of host: String) -> [String] {
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
