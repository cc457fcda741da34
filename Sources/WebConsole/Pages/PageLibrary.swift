internal import Mustache

/// The templates of a program, parsed once: the shared ones and its own.
package struct PageLibrary: Sendable {
    /// The first line of every template. It turns off the engine's escaping, because ``PageObject`` escapes all values.
    /// A template must not set another content type.
    private static let pragma = "{{% CONTENT_TYPE:TEXT}}"

    private let templates: MustacheLibrary

    /// Parses templates.
    ///
    /// - Parameter files: The text of each template by its name. Templates may include and extend the shared ones.
    /// - Throws: If a text is not a valid template.
    package init(_ files: [String: String]) throws {
        let all = WebConsoleFiles.templates.merging(files) { _, own in own }
        templates = MustacheLibrary(templates: try all.mapValues { try MustacheTemplate(string: Self.pragma + $0) })
    }

    /// Renders a template. A name without a value renders as nothing; tests check that there is none.
    ///
    /// - Parameter recorder: Records the names that the template uses.
    package func render(
        _ template: String, _ values: [String: PageValue], recorder: TemplateRecorder? = nil
    ) -> String {
        let root = PageObject(values: values, isRoot: true, recorder: recorder)
        return templates.render(root, withTemplate: template) ?? ""
    }

    /// Renders a page within the shell.
    package func page(_ template: String, _ values: [String: PageValue], in shell: Shell) -> String {
        render(template, values.merging(shell.values) { own, _ in own })
    }

    /// Returns the parts of a page that are updated while it is open: those between `<!--live-->` and `<!--/live-->`.
    /// No value can contain such a mark, because `<` is escaped in all values.
    package static func liveParts(of html: String) -> String {
        html.split(separator: "<!--live-->", omittingEmptySubsequences: false).dropFirst().map { rest in
            rest.firstRange(of: "<!--/live-->").map { String(rest[..<$0.lowerBound]) } ?? ""
        }.joined(separator: "\n")
    }
}
