internal import Basics
internal import Foundation

/// The target of a link or a form. No other value may become an attribute that a browser follows.
package struct PageLink: Sendable, Hashable, CustomStringConvertible {
    /// The URL, or a path of this server.
    package let description: String

    /// Creates a path of this server. Each segment and each part of the query is escaped.
    package init(_ segments: [String], query: [(String, String)] = []) {
        let path = "/" + segments.map { Self.escapingDots($0).percentEncoded }.joined(separator: "/")
        description = path + (query.isEmpty ? "" : "?" + String(queryOf: query))
    }

    /// Creates a link to the current page with another query, and optionally a fragment.
    package init(samePageWith query: [(String, String)], fragment: String? = nil) {
        description = "?" + String(queryOf: query) + (fragment.map { "#" + $0.percentEncoded } ?? "")
    }

    /// Creates a path of this server. Each segment and each part of the query is escaped.
    package init(_ segments: String..., query: [(String, String)] = []) { self.init(segments, query: query) }

    /// Creates a link to another server; nil unless `text` is an `http` or `https` URL.
    package init?(external text: String) {
        guard text.utf8.count <= 4096, text.isVisibleASCII, URL(string: text)?.isHTTP == true else { return nil }
        description = text
    }

    /// Creates a link from a path and query in a form that this server rendered; nil if it leads to another server.
    package init?(own text: String) {
        guard text.utf8.count <= 4096, text.isVisibleASCII, text.hasPrefix("/"), !text.hasPrefix("//"),
            !text.contains("\\")
        else { return nil }
        description = text
    }

    /// Creates a link to a fragment of the current page.
    package init(fragment: String) { description = "#" + fragment.percentEncoded }

    /// Returns a segment that browsers keep. They remove the dot segments `.` and `..`, even percent-encoded, so these
    /// get a tilde in front. Dots that already have tildes get one more.
    private static func escapingDots(_ segment: String) -> String {
        isDotsWithTildes(segment) ? "~" + segment : segment
    }

    private static func isDotsWithTildes(_ segment: some StringProtocol) -> Bool {
        [".", ".."].contains(segment.drop { $0 == "~" })
    }

    /// Returns the decoded name of a path segment.
    package static func name(ofSegment segment: some StringProtocol) -> String {
        let name = String(percentEncoded: segment.utf8) ?? String(segment)
        return name.hasPrefix("~") && isDotsWithTildes(name) ? String(name.dropFirst()) : name
    }

    /// Returns the decoded names of all segments of a path.
    package static func segments(of path: some StringProtocol) -> [String] {
        path.split(separator: "/").map { name(ofSegment: $0) }
    }
}
