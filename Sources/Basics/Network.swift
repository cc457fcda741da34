internal import Foundation

/// A range of IP addresses in CIDR notation (RFC 4632): `17.0.0.0/8`, `2001:db8::/32`, or a single address.
///
/// An IPv4 address equals its IPv6 form, `::ffff:17.0.0.1`, so `::/0` contains all addresses.
public struct Network: Sendable, Hashable {
    private let address: [UInt8]
    /// The length of the prefix, of 128 bits.
    private let prefix: Int
    /// The text that the range was parsed from.
    private let text: String

    /// Parses a range; nil if the text is invalid, or if bits after the prefix are set, which is a typing mistake.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let first = parts.first, let address = Self.bytes(String(first)) else {
            return nil
        }
        let width = first.contains(":") ? 128 : 32
        var length = width
        if parts.count == 2 {
            guard parts[1].isDigits(), let number = Int(parts[1]), number <= width else { return nil }
            length = number
        }
        prefix = length + 128 - width
        guard Self.isZero(address, from: prefix) else { return nil }
        self.address = address
        self.text = text
    }

    /// Returns the network that identifies a client for rate limits: a single IPv4 address, or the /64 of an IPv6
    /// address, which one subscriber has. Nil if `address` is invalid.
    package static func ofClient(at address: String) -> Network? {
        guard let bytes = bytes(withoutZone(address)) else { return nil }
        if isZero(bytes, upTo: 10), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return Network(address: bytes, prefix: 128, text: address)
        }
        return Network(address: bytes.prefix(8) + [UInt8](repeating: 0, count: 8), prefix: 64, text: address)
    }

    private init(address: [UInt8], prefix: Int, text: String) {
        (self.address, self.prefix, self.text) = (address, prefix, text)
    }

    /// The address of the range in hexadecimal, and the prefix length. The same for equal ranges, in any notation.
    package var key: String { address.map { String($0, radix: 16) }.joined(separator: ".") + "/\(prefix)" }

    /// Whether this range contains an address. False if the text is not an address.
    public func contains(_ address: String) -> Bool {
        guard let bytes = Self.bytes(Self.withoutZone(address)) else { return false }
        let (whole, rest) = prefix.quotientAndRemainder(dividingBy: 8)
        guard bytes.prefix(whole).elementsEqual(self.address.prefix(whole)) else { return false }
        guard rest > 0 else { return true }
        return (bytes[whole] ^ self.address[whole]) >> (8 - rest) == 0
    }

    /// Returns an address without its zone, such as `%eth0` (RFC 4007, section 11).
    private static func withoutZone(_ address: String) -> String {
        address.utf8.firstIndex(of: UInt8(ascii: "%")).map { String(address[..<$0]) } ?? address
    }

    /// Returns the sixteen bytes of an IPv4 or IPv6 address; nil if the text is invalid.
    private static func bytes(_ text: String) -> [UInt8]? {
        // `inet_pton` stops at a zero byte and would accept the text before it.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if text.utf8.contains(UInt8(ascii: ":")) {
            return bytes.withUnsafeMutableBytes({ inet_pton(AF_INET6, text, $0.baseAddress) }) == 1 ? bytes : nil
        }
        (bytes[10], bytes[11]) = (0xFF, 0xFF)
        let result = bytes[12...].withUnsafeMutableBytes { inet_pton(AF_INET, text, $0.baseAddress) }
        return result == 1 ? bytes : nil
    }

    private static func isZero(_ bytes: [UInt8], upTo count: Int) -> Bool { bytes.prefix(count).allSatisfy { $0 == 0 } }

    private static func isZero(_ bytes: [UInt8], from bit: Int) -> Bool {
        let (whole, rest) = bit.quotientAndRemainder(dividingBy: 8)
        guard whole < bytes.count else { return true }
        return bytes[whole] << rest == 0 && bytes[(whole + 1)...].allSatisfy { $0 == 0 }
    }

    /// Whether both are the same range, in any notation.
    public static func == (left: Network, right: Network) -> Bool {
        left.prefix == right.prefix && left.address == right.address
    }

    /// Hashes the range.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(prefix)
        hasher.combine(address)
    }
}

extension Network: CustomStringConvertible {
    /// The text that the range was parsed from.
    public var description: String { text }
}

extension Network {
    /// The loopback addresses of this machine.
    public static let loopback = ["127.0.0.0/8", "::1"].compactMap { Network($0) }

    /// Whether a host is `localhost` or a loopback address, with or without the brackets of IPv6.
    package static func isLoopback(host: String) -> Bool {
        let host = host.lowercased().trimmingCharacters(in: ["[", "]"])
        return host == "localhost" || loopback.contains { $0.contains(host) }
    }

    /// The addresses that do not belong to the public internet: loopback, private and link-local networks, shared and
    /// reserved ranges (RFC 6890 and the registries that it began, such as RFC 9602 and RFC 9637), translated IPv4
    /// addresses, multicast, and site-local addresses (deprecated by RFC 3879). For checks against requests into the
    /// server's own network.
    public static let notPublic =
        loopback
        + [
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
            "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
            "224.0.0.0/3", "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64",
            "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10",
            "ff00::/8",
        ].compactMap { Network($0) }
}
