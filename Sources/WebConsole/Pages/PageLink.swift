internal import Basics
internal import Foundation

/// Where a link, a form or a picture of a page leads. Nothing else becomes an attribute that a browser follows.
package struct PageLink: Sendable, Hashable, CustomStringConvertible {
    /// The URL, or a path of this server.
    package let description: String

    /// A path of this server. Each segment and each part of the query is escaped.
    package init(_ segments: [String], query: [(String, String)] = [], fragment: String? = nil) {
        let path = "/" + segments.map { Self.harmless($0).percentEncoded }.joined(separator: "/")
        description = path + (query.isEmpty ? "" : Self.text(query)) + (fragment.map { "#" + $0.percentEncoded } ?? "")
    }

    /// The page that the link is on with another query, and a place on it.
    package init(samePageWith query: [(String, String)], fragment: String? = nil) {
        description = Self.text(query) + (fragment.map { "#" + $0.percentEncoded } ?? "")
    }

    private static func text(_ query: [(String, String)]) -> String {
        "?" + query.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }.joined(separator: "&")
    }

    /// The same.
    package init(_ segments: String..., query: [(String, String)] = []) { self.init(segments, query: query) }

    /// A place elsewhere; nil unless it is an `http` or `https` URL.
    package init?(external text: String) {
        guard text.utf8.count <= 4096, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URL(string: text),
            ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false
        else { return nil }
        description = text
    }

    /// A path and query that came from this server, in a form; nil for anything that leads elsewhere.
    package init?(own text: String) {
        guard text.utf8.count <= 4096, text.hasPrefix("/"), !text.hasPrefix("//"), !text.contains("\\"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        description = text
    }

    /// A place on the same page.
    package init(fragment: String) { description = "#" + fragment.percentEncoded }

    /// A browser takes segments of dots away, percent-encoded too. A tilde before them makes a name of them, and one more before
    /// what looks like such a name.
    private static func harmless(_ segment: String) -> String { isDotsWithTildes(segment) ? "~" + segment : segment }

    private static func isDotsWithTildes(_ segment: some StringProtocol) -> Bool {
        [".", ".."].contains(segment.drop { $0 == "~" })
    }

    /// What a segment of a path names, decoded.
    package static func name(ofSegment segment: some StringProtocol) -> String {
        let name = String(percentEncoded: segment.utf8) ?? String(segment)
        return name.hasPrefix("~") && isDotsWithTildes(name) ? String(name.dropFirst()) : name
    }

    /// The names in a path.
    package static func segments(of path: some StringProtocol) -> [String] {
        path.split(separator: "/").map { name(ofSegment: $0) }
    }
}
