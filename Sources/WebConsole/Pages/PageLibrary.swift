internal import Mustache

/// The templates of one program, read once: the shared ones and its own.
package struct PageLibrary: Sendable {
    /// Begins every template: the engine inserts values as they are, because ``PageObject`` has escaped them. A
    /// template may not set another content type.
    private static let pragma = "{{% CONTENT_TYPE:TEXT}}"

    private let templates: MustacheLibrary

    /// Reads templates.
    ///
    /// - Parameter files: The text of each template by its name. They may use and fill in the shared ones.
    /// - Throws: Where one is no template.
    package init(_ files: [String: String]) throws {
        let all = WebConsoleFiles.templates.merging(files) { _, own in own }
        templates = MustacheLibrary(templates: try all.mapValues { try MustacheTemplate(string: Self.pragma + $0) })
    }

    /// Renders a template. A name without a value renders as nothing; tests see to it that there is none.
    ///
    /// - Parameter recorder: Notes which names were asked for.
    package func render(
        _ template: String, _ values: [String: PageValue], recorder: TemplateRecorder? = nil
    ) -> String {
        let root = PageObject(values: values, isRoot: true, recorder: recorder)
        return templates.render(root, withTemplate: template) ?? ""
    }

    /// Renders a page in its frame.
    package func page(_ template: String, _ values: [String: PageValue], in shell: Shell) -> String {
        render(template, values.merging(shell.values) { own, _ in own })
    }

    /// The parts of a page that are updated while it is open: what stands between `<!--live-->` and `<!--/live-->`. No text of
    /// a page can contain such a mark, because `<` is escaped in all of them.
    package static func liveParts(of html: String) -> String {
        html.split(separator: "<!--live-->", omittingEmptySubsequences: false).dropFirst().map { rest in
            rest.firstRange(of: "<!--/live-->").map { String(rest[..<$0.lowerBound]) } ?? ""
        }.joined(separator: "\n")
    }
}
