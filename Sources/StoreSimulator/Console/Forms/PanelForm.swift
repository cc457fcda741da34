internal import Basics
internal import WebConsole

/// A form of the panel, with the equivalent command line.
struct PanelForm: Sendable {
    /// The identifier of the form, unique on its page.
    var id: String
    /// The name of the ``PanelAction``.
    var action: String
    var title: String
    var about: String?
    var fields: [FormField]
    var button: String
    var isDangerous = false
    /// The template of the command line: `{name}` for a field, `{json:name}` for a field as JSON, and brackets around
    /// parts that are omitted if a field in them is empty.
    var command: String

    init(
        _ id: String, _ title: String, about: String? = nil, action: String = "do", _ fields: [FormField],
        button: String, isDangerous: Bool = false, command: String
    ) {
        (self.id, self.title, self.about, self.action) = (id, title, about, action)
        (self.fields, self.button, self.isDangerous, self.command) = (fields, button, isDangerous, command)
    }

    /// Returns a form for a command without a subcommand of its own, which uses the subcommand `do`.
    static func `do`(
        _ id: String, _ title: String, _ command: String, about: String? = nil, _ fields: [FormField],
        button: String? = nil, option: String
    ) -> PanelForm {
        let members = fields.map { field -> String in
            if case .number = field.kind { return "\"\(field.name)\":{\(field.name)}" }
            return "\"\(field.name)\":{json:\(field.name)}"
        }
        return PanelForm(
            id, title, about: about, [.hidden("command", command)] + fields, button: button ?? title,
            command: "counterfoil simulator do '{\"\(command)\":{\(members.joined(separator: ","))}}'" + option)
    }

    static func fieldID(_ form: String, _ field: String) -> String { "\(form)-\(field)" }

    /// Returns the values for the template `form`. A refused form contains the submitted values.
    func value(_ request: PanelRequest, _ state: PanelState) -> PageValue {
        let refused = request.formFailure?.form == id ? request.formFailure : nil
        var fields = self.fields
        if let refused {
            for index in fields.indices {
                fields[index].isWrong = refused.failure.param == fields[index].name
                if case .hidden = fields[index].kind { continue }
                fields[index].value = refused.fields.exact(fields[index].name) ?? ""
            }
        }
        let known = Dictionary(fields.map { ($0.name, $0.value) }) { _, last in last }
        return [
            "formID": .text(id), "formURL": .link(PageLink("forms", action)), "formTitle": .text(title),
            "formAbout": .optional(about), "formTicket": .exact(state.tickets.issue(for: action)),
            "formPage": .exact(request.page.path),
            "formEnvironment": .text(request.environmentName), "formButton": .text(button),
            "formIsDangerous": .flag(isDangerous), "formCommand": .exact(command),
            "formFilled": .foreign(Self.fill(command, known), limit: 2000),
            "formFields": .list(fields.map { $0.values(id: Self.fieldID(id, $0.name)) }),
        ]
    }

    // MARK: - The command

    /// Returns the command line with the values of the fields. The page's script does the same after each input.
    static func fill(_ template: String, _ values: [String: String]) -> String {
        template.replacing(/\[([^\]]*)\]|[^\[]+/) { match -> String in
            guard let optional = match.1 else { return replace(match.0, values).text }
            let filled = replace(optional, values)
            return filled.isMissing ? "" : filled.text
        }.split(separator: " ").joined(separator: " ")
    }

    private static func replace(_ text: Substring, _ values: [String: String]) -> (text: String, isMissing: Bool) {
        var isMissing = false
        let result = String(text).replacing(/\{(json:)?(\w+)\}/) { match -> String in
            let value = values[String(match.2)] ?? ""
            if value.isEmpty { isMissing = true }
            if match.1 != nil { return jsonText(value).escaping { $0 == "'" ? "'\\''" : nil } }
            return value.isEmpty ? match.2.uppercased() : value.shellWord
        }
        return (result, isMissing)
    }

    /// Returns a text as JSON; `null` for an empty field.
    private static func jsonText(_ value: String) -> String {
        guard !value.isEmpty else { return "null" }
        return (try? String(decoding: ControlJSON.encode(JSONValue.string(value)), as: UTF8.self)) ?? "\"\""
    }
}
