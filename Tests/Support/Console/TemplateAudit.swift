internal import Foundation
package import WebConsole

/// Looks at templates and at what pages give them: what the template engine itself does not notice.
package struct TemplateAudit {
    private let files: [String: String]
    private let library: PageLibrary
    private var found: [String: Set<String>] = [:]
    /// What is wrong, in sentences.
    package private(set) var problems: Set<String> = []

    /// - Parameter files: A program's own templates. The shared ones are known.
    package init(_ files: [String: String] = [:]) throws {
        self.files = files
        library = try PageLibrary(files)
        for (name, text) in WebConsoleFiles.templates.merging(files, uniquingKeysWith: { _, own in own }) {
            checkText(text, of: name)
        }
    }

    private static var tag: Regex<(Substring, Substring, Substring)> { /\{\{([{#^\/>$<&!]?)\s*([^}]*?)\s*\}?\}\}/ }

    /// What can be seen without values.
    private mutating func checkText(_ text: String, of name: String) {
        if name != "drawing", text.contains("{{{") || text.contains("{{&") {
            problems.insert("\(name) inserts something unescaped")
        }
        // With another content type the engine escapes a second time; tags with other delimiters are not seen here.
        if text.contains("{{%") || text.contains("{{=") {
            problems.insert("\(name) sets a content type or delimiters")
        }
        if text.contains(/<(script|style)\b[^>]*>\s*[^<\s]/) {
            problems.insert("\(name) has an inline script or style")
        }
        if text.contains(/\s(style|on\w+)=/) { problems.insert("\(name) has a style or an event in an attribute") }
        for match in text.matches(of: /\b(href|src|action|formaction)="([^"]*)"/) {
            let value = String(match.2)
            let isFixed = value.contains(/^[\/#][^{]*$/)
            guard !isFixed, value.wholeMatch(of: /\{\{(url|\w+URL)\}\}/) == nil else { continue }
            problems.insert("\(name): \(match.1) is \(value), which is no link")
        }
        for match in text.matches(of: Self.tag) where match.2.contains(".") && match.2 != "." {
            problems.insert("\(name): \(match.2) is a path")
        }
    }

    /// Renders a page, and notes which names had a value.
    @discardableResult
    package mutating func render(_ template: String, _ values: [String: PageValue], in shell: Shell? = nil) -> String {
        let recorder = TemplateRecorder()
        let all = values.merging(shell?.values ?? [:]) { own, _ in own }
        let html = library.render(template, all, recorder: recorder)
        for name in recorder.missing { problems.insert("\(template): \(name) has no value") }
        for name in recorder.misused { problems.insert("\(template): \(name) is a link where none belongs, or none") }
        for (key, value) in values {
            for name in value.names.union([key]) { given[template, default: []].insert(name) }
        }
        found[template, default: []].formUnion(recorder.found)
        return html
    }

    private var given: [String: Set<String>] = [:]

    /// What is wrong after all pages were rendered in all their states: also values that no template ever asks for, and names
    /// in templates that nothing was ever asked for.
    package func complete(except templates: Set<String> = []) -> [String] {
        var problems = self.problems
        for (template, names) in given {
            for name in names.subtracting(found[template] ?? []) where !Self.isPart(name) {
                problems.insert("\(template): the value \(name) has no use")
            }
        }
        let asked = found.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        for (name, text) in files where !templates.contains(name) {
            for match in text.matches(of: Self.tag) where ["", "#", "^"].contains(match.1) && match.2 != "." {
                if !asked.contains(String(match.2)) { problems.insert("\(name): \(match.2) was never rendered") }
            }
        }
        return problems.sorted()
    }

    /// The parts of a foreign text and of a form's field; which of them are asked for depends on the text, and on whether the
    /// field is hidden.
    private static func isPart(_ name: String) -> Bool {
        [
            "runs", "allRuns", "chip", "plain", "isCut", "whole", "count", "fieldHint", "fieldID", "fieldLabel",
            "isRequired", "isWrong",
        ].contains(name)
    }
}
