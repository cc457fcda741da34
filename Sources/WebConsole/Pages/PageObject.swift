internal import Foundation
internal import Mustache

/// The values of a page, as the template engine looks them up: by name, without reflection. All returned texts are
/// escaped HTML.
struct PageObject: MustacheParent {
    let values: [String: PageValue]
    /// Whether this is the outermost object, so that a missing name is an error.
    var isRoot = false
    var recorder: TemplateRecorder?

    func child(named name: String) -> Any? {
        guard let value = values[name] else {
            guard isRoot else { return nil }
            recorder?.missed(name)
            #if DEBUG
                // Visible on the page, and found by the tests of all pages.
                return "⟦\(name) has no value⟧"
            #else
                return nil
            #endif
        }
        recorder?.found(name)
        return Self.rendered(value, named: name, recorder)
    }

    private static func isURL(_ name: String) -> Bool { name == "url" || name.hasSuffix("URL") }

    private static func rendered(_ value: PageValue, named name: String, _ recorder: TemplateRecorder?) -> Any {
        if isURL(name) {
            switch value {
            case .link(let link): return HTMLText.escaped(link.description)
            case .nothing: return NSNull()
            default:
                recorder?.misused(name)
                return "#"
            }
        }
        switch value {
        case .nothing: return NSNull()
        case .flag(let flag): return flag
        case .text(let text): return HTMLText.escaped(VisibleText.plain(text))
        case .exact(let text): return HTMLText.escaped(text)
        case .link:
            recorder?.misused(name)
            return NSNull()
        case .drawing(let drawing): return Picture(markup: drawing.markup)
        case .list(let list): return list.map { rendered($0, named: name, recorder) }
        case .object(let values): return PageObject(values: values, recorder: recorder)
        }
    }

    /// The value of the template `drawing`, the only one that inserts unescaped markup.
    private struct Picture: MustacheParent {
        let markup: String

        func child(named name: String) -> Any? { name == "svgMarkup" ? markup : nil }
    }
}

/// Records the names that templates use. Only tests use a recorder.
package final class TemplateRecorder {
    /// The names with a value.
    package private(set) var found: Set<String> = []
    /// The names without a value.
    package private(set) var missing: Set<String> = []
    /// The names of links that do not end in `URL`, and names that end in `URL` but are not links.
    package private(set) var misused: Set<String> = []

    package init() {}

    func found(_ name: String) { found.insert(name) }
    func missed(_ name: String) { missing.insert(name) }
    func misused(_ name: String) { misused.insert(name) }
}
