internal import Basics
internal import Foundation
internal import Hummingbird
internal import WebConsole

extension ConsolePage {
    /// Where a page is, and from where in a list somebody came.
    ///
    /// The API's lists lead forward alone. So the way back goes along: `back` names the pages before this one.
    struct Place: Sendable {
        var path: String
        var query: [(String, String)]

        /// As many pages lead back one by one; from there it goes to the first.
        private static let longestTrail = 20

        private func value(_ name: String) -> String? {
            query.first { $0.0 == name }.flatMap { $0.1.isEmpty ? nil : $0.1 }
        }

        /// This page without what was said on it once; nil where its address is too long to lead back to.
        var here: PageLink? { Self.link(path, query.filter { !["done", "fragment"].contains($0.0) }) }

        /// The pages between the first and this one.
        private var trail: [String] { (value("back") ?? "").split(separator: ",").map(String.init) }

        /// The page before this one; nil on the first.
        var previous: PageLink? {
            guard value("page") != nil else { return nil }
            var query = query.filter { !["page", "back", "done"].contains($0.0) }
            if let last = trail.last { query.append(("page", last)) }
            if trail.count > 1 { query.append(("back", trail.dropLast().joined(separator: ","))) }
            return Self.link(path, query)
        }

        /// A link to the page after this one, which then leads back here.
        func following(_ next: PageLink) -> PageLink {
            guard let page = value("page") else { return next }
            let back = (trail + [page]).suffix(Self.longestTrail).joined(separator: ",")
            return Self.link(next.description, [("back", back)]) ?? next
        }

        /// What a link to something in the list takes along, so that its page leads back to just this part of the list.
        var origin: [(String, String)] {
            let own = query.filter { !["app", "environment", "done", "fragment", "list"].contains($0.0) }
            return own.isEmpty ? [] : [("list", Self.text(own))]
        }

        private static func text(_ query: [(String, String)]) -> String {
            query.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }.joined(separator: "&")
        }

        private static func link(_ target: String, _ query: [(String, String)]) -> PageLink? {
            guard !query.isEmpty else { return PageLink(own: target) }
            return PageLink(own: target + (target.contains("?") ? "&" : "?") + text(query))
        }
    }
}

extension Visit {
    /// A link from a list to one of its items.
    func item(_ segments: String..., query: [(String, String)] = []) -> PageLink {
        PageLink(["console"] + segments, query: selection.query + query + place.origin)
    }

    /// A link back to the list that somebody came from, at the part that they saw.
    func list(_ segments: String...) -> PageLink {
        let query = parameter("list").map { ConsolePage.Place.pairs($0) } ?? []
        return PageLink(["console"] + segments, query: selection.query + query)
    }

    /// What links to other states of this page take along, so that each still leads back to that part of the list.
    var listed: [(String, String)] { kept("list") }

    /// Parameters that a link takes along, those of them that the page has.
    func kept(_ names: String...) -> [(String, String)] {
        names.compactMap { name in parameter(name).map { (name, $0) } }
    }

    var place: ConsolePage.Place { .init(path: request.uri.path, query: request.pageQuery) }
}

extension Request {
    /// The parameters of a page. Browsers write a blank as a plus, in a form and when a page asks for itself; the API, like
    /// its clients, knows no such plus.
    var pageQuery: [(String, String)] {
        guard let query = uri.query else { return [] }
        do { return try FormFields.pairs(query.utf8).map { ($0.name, $0.value) } } catch {
            // No form writes this: somebody typed it.
            return uri.queryParameters.map { (String($0.key), String($0.value)) }
        }
    }

    /// A parameter of a page.
    func pageParameter(_ name: String) -> String? { pageQuery.first { $0.0 == name }?.1 }
}

extension ConsolePage.Place {
    /// The parts of a query; nothing of what is none.
    fileprivate static func pairs(_ text: String) -> [(String, String)] {
        guard text.utf8.count <= 2048, let fields = try? FormFields(encoded: text.utf8) else { return [] }
        return fields.names.compactMap { name in fields.exact(name).flatMap { $0.isEmpty ? nil : (name, $0) } }
    }
}
