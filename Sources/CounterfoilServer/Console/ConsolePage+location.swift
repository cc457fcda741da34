internal import Basics
internal import Foundation
internal import Hummingbird
internal import WebConsole

extension ConsolePage {
    /// The path and query of a page, from which the links to other pages of a list are made.
    ///
    /// The API's lists can only be paged forward. So the query parameter `back` contains the previous pages.
    struct Location: Sendable {
        var path: String
        var query: [(String, String)]

        /// The maximum number of previous pages in `back`. Before those, the link leads to the first page.
        private static let longestTrail = 20

        private func value(_ name: String) -> String? {
            query.first { $0.0 == name }.flatMap { $0.1.isEmpty ? nil : $0.1 }
        }

        /// A link to this page without one-time notes; nil if the address is too long.
        var here: PageLink? { Self.link(path, query.filter { !["done", "fragment"].contains($0.0) }) }

        /// The pages between the first and this one.
        private var trail: [String] { (value("back") ?? "").split(separator: ",").map(String.init) }

        /// A link to the previous page; nil on the first page.
        var previous: PageLink? {
            guard value("page") != nil else { return nil }
            var query = query.filter { !["page", "back", "done"].contains($0.0) }
            if let last = trail.last { query.append(("page", last)) }
            if trail.count > 1 { query.append(("back", trail.dropLast().joined(separator: ","))) }
            return Self.link(path, query)
        }

        /// Returns a link to the next page, which can lead back here.
        func following(_ next: PageLink) -> PageLink {
            guard let page = value("page") else { return next }
            let back = (trail + [page]).suffix(Self.longestTrail).joined(separator: ",")
            return Self.link(next.description, [("back", back)]) ?? next
        }

        /// The query of links to items of a list. With it, the item's page can link back to this part of the list.
        var origin: [(String, String)] {
            let own = query.filter { !["app", "environment", "done", "fragment", "list"].contains($0.0) }
            return own.isEmpty ? [] : [("list", String(queryOf: own))]
        }

        private static func link(_ target: String, _ query: [(String, String)]) -> PageLink? {
            guard !query.isEmpty else { return PageLink(own: target) }
            return PageLink(own: target + (target.contains("?") ? "&" : "?") + String(queryOf: query))
        }
    }
}

extension PageRequest {
    /// Returns a link from a list to one of its items.
    func item(_ segments: String..., query: [(String, String)] = []) -> PageLink {
        PageLink(["console"] + segments, query: selection.query + query + location.origin)
    }

    /// Returns a link back to the list, at the part from which the user came.
    func list(_ segments: String...) -> PageLink {
        let query = parameter("list").map { ConsolePage.Location.pairs($0) } ?? []
        return PageLink(["console"] + segments, query: selection.query + query)
    }

    /// The query of links to other states of this page, so that each can still link back to that part of the list.
    var listQuery: [(String, String)] { parameters("list") }

    /// Returns the given query parameters, as far as the page has them, to pass them on in a link.
    func parameters(_ names: String...) -> [(String, String)] {
        names.compactMap { name in parameter(name).map { (name, $0) } }
    }

    var location: ConsolePage.Location { .init(path: request.uri.path, query: request.pageQuery) }
}

extension Request {
    /// The query parameters of a page. Browsers encode a space as a plus; the API's clients do not.
    var pageQuery: [(String, String)] {
        guard let query = uri.query else { return [] }
        do { return try FormFields.pairs(query.utf8).map { ($0.name, $0.value) } } catch {
            // Forms do not produce this; the user typed the address.
            return uri.queryParameters.map { (String($0.key), String($0.value)) }
        }
    }

    /// Returns a query parameter of a page.
    func pageParameter(_ name: String) -> String? { pageQuery.first { $0.0 == name }?.1 }
}

extension ConsolePage.Location {
    /// Returns the pairs of an encoded query; empty if it is invalid.
    fileprivate static func pairs(_ text: String) -> [(String, String)] {
        guard text.utf8.count <= 2048, let fields = try? FormFields(encoded: text.utf8) else { return [] }
        return fields.names.compactMap { name in fields.exact(name).flatMap { $0.isEmpty ? nil : (name, $0) } }
    }
}
