internal import Foundation
package import WebConsole

/// Checks templates and the values that pages pass to them, for errors that the template engine does not report.
package struct TemplateAudit {
    private let files: [String: String]
    private let library: PageLibrary
    private var found: [String: Set<String>] = [:]
    /// The errors found, as sentences.
    package private(set) var problems: Set<String> = []

    /// - Parameter files: The program's own templates. The shared templates are always included.
    package init(_ files: [String: String] = [:]) throws {
        self.files = files
        library = try PageLibrary(files)
        for (name, text) in WebConsoleFiles.templates.merging(files, uniquingKeysWith: { _, own in own }) {
            checkText(text, of: name)
        }
    }

    private static var tag: Regex<(Substring, Substring, Substring)> { /\{\{([{#^\/>$<&!]?)\s*([^}]*?)\s*\}?\}\}/ }

    /// Checks a template's text without values.
    private mutating func checkText(_ text: String, of name: String) {
        if name != "drawing", text.contains("{{{") || text.contains("{{&") {
            problems.insert("\(name) inserts an unescaped value")
        }
        // With another content type the engine escapes twice; this audit does not parse tags with other delimiters.
        if text.contains("{{%") || text.contains("{{=") {
            problems.insert("\(name) sets a content type or delimiters")
        }
        if text.contains(/<(script|style)\b[^>]*>\s*[^<\s]/) {
            problems.insert("\(name) has an inline script or style")
        }
        if text.contains(/\s(style|on\w+)=/) { problems.insert("\(name) has a style or event attribute") }
        for match in text.matches(of: /\b(href|src|action|formaction)="([^"]*)"/) {
            let value = String(match.2)
            let isFixed = value.contains(/^[\/#][^{]*$/)
            guard !isFixed, value.wholeMatch(of: /\{\{(url|\w+URL)\}\}/) == nil else { continue }
            problems.insert("\(name): \(match.1) is \(value), expected a link")
        }
        for match in text.matches(of: Self.tag) where match.2.contains(".") && match.2 != "." {
            problems.insert("\(name): \(match.2) is a path")
        }
    }

    /// Renders a page and records which names had a value.
    @discardableResult
    package mutating func render(_ template: String, _ values: [String: PageValue], in shell: Shell? = nil) -> String {
        let recorder = TemplateRecorder()
        let all = values.merging(shell?.values ?? [:]) { own, _ in own }
        let html = library.render(template, all, recorder: recorder)
        for name in recorder.missing { problems.insert("\(template): \(name) has no value") }
        for name in recorder.misused {
            problems.insert("\(template): \(name) is used as a link but is none, or the reverse")
        }
        for (key, value) in values {
            for name in value.names.union([key]) { given[template, default: []].insert(name) }
        }
        found[template, default: []].formUnion(recorder.found)
        return html
    }

    private var given: [String: Set<String>] = [:]

    /// Returns the errors after all pages were rendered in all their states, including values that no template uses and
    /// names in templates that were never rendered.
    package func complete(except templates: Set<String> = []) -> [String] {
        var problems = self.problems
        for (template, names) in given {
            for name in names.subtracting(found[template] ?? []) where !Self.isPart(name) {
                problems.insert("\(template): no template uses the value \(name)")
            }
        }
        let used = found.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        for (name, text) in files where !templates.contains(name) {
            for match in text.matches(of: Self.tag) where ["", "#", "^"].contains(match.1) && match.2 != "." {
                if !used.contains(String(match.2)) { problems.insert("\(name): \(match.2) was never rendered") }
            }
        }
        return problems.sorted()
    }

    /// Whether a name is a part of an untrusted text or of a form field. Which parts a template uses depends on the
    /// text and on whether the field is hidden.
    private static func isPart(_ name: String) -> Bool {
        [
            "runs", "allRuns", "chip", "plain", "codeText", "isBreakable", "isCut", "whole", "count", "fieldHint",
            "fieldID", "fieldLabel", "isRequired", "isWrong",
        ].contains(name)
    }
}

extension PageValue {
    /// All names in the value, at any depth.
    fileprivate var names: Set<String> {
        switch self {
        case .list(let list): list.reduce(into: []) { $0.formUnion($1.names) }
        case .object(let values): values.reduce(into: []) { $0.formUnion($1.value.names.union([$1.key])) }
        default: []
        }
    }
}
