internal import Foundation
internal import Mustache

/// An object of a page as the template engine asks it: by name, without reflection. Every text that it gives is HTML.
struct PageObject: MustacheParent {
    let values: [String: PageValue]
    /// Whether nobody is asked after it.
    var isRoot = false
    var recorder: TemplateRecorder?

    func child(named name: String) -> Any? {
        guard let value = values[name] else {
            guard isRoot else { return nil }
            recorder?.missed(name)
            #if DEBUG
                // Seen at once by who looks at the page, and by the tests of all pages.
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

    /// What the template `drawing` inserts, and nothing else can.
    private struct Picture: MustacheParent {
        let markup: String

        func child(named name: String) -> Any? { name == "svgMarkup" ? markup : nil }
    }
}

/// Notes which names templates asked for. Only tests have one.
package final class TemplateRecorder {
    /// Names that had a value.
    package private(set) var found: Set<String> = []
    /// Names without a value.
    package private(set) var missing: Set<String> = []
    /// Links under a name that is no link's, and other values under a link's.
    package private(set) var misused: Set<String> = []

    package init() {}

    func found(_ name: String) { found.insert(name) }
    func missed(_ name: String) { missing.insert(name) }
    func misused(_ name: String) { misused.insert(name) }
}

extension PageValue {
    /// All names in it, however deep.
    package var names: Set<String> {
        switch self {
        case .list(let list): list.reduce(into: []) { $0.formUnion($1.names) }
        case .object(let values): values.reduce(into: []) { $0.formUnion($1.value.names.union([$1.key])) }
        default: []
        }
    }
}
