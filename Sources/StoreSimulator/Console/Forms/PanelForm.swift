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
    var fields: [Field]
    var button: String
    var isDangerous = false
    /// The template of the command line: `{name}` for a field, `{json:name}` for a field as JSON, and brackets around
    /// parts that are omitted if a field in them is empty.
    var command: String

    struct Field: Sendable {
        enum Kind: Sendable { case hidden, text, number, area, choice([(value: String, title: String)]), box(String) }

        var name: String
        var label: String
        var kind: Kind
        var value: String
        var hint: String?
        var isRequired: Bool

        init(
            _ name: String, _ label: String = "", _ kind: Kind = .text, value: String = "", hint: String? = nil,
            isRequired: Bool = false
        ) {
            (self.name, self.label, self.kind) = (name, label, kind)
            (self.value, self.hint, self.isRequired) = (value, hint, isRequired)
        }

        static func hidden(_ name: String, _ value: String) -> Field { Field(name, "", .hidden, value: value) }
    }

    init(
        _ id: String, _ title: String, about: String? = nil, action: String = "do", _ fields: [Field],
        button: String, isDangerous: Bool = false, command: String
    ) {
        (self.id, self.title, self.about, self.action) = (id, title, about, action)
        (self.fields, self.button, self.isDangerous, self.command) = (fields, button, isDangerous, command)
    }

    /// Returns a form for a command without a subcommand of its own, which uses the subcommand `do`.
    static func `do`(
        _ id: String, _ title: String, _ command: String, about: String? = nil, _ fields: [Field],
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
        let typed = request.formFailure?.form == id ? request.formFailure : nil
        let values = fields.map { field in
            var value = field.value
            if let typed {
                value = typed.fields.exact(field.name) ?? ""
                if case .hidden = field.kind { value = field.value }
            }
            return (field, value)
        }
        let known = Dictionary(
            values.map { field, value in
                if case .box = field.kind, typed == nil, value.isEmpty { return (field.name, "") }
                return (field.name, value)
            }, uniquingKeysWith: { _, last in last })
        return [
            "formID": .text(id), "formURL": .link(PageLink("forms", action)), "formTitle": .text(title),
            "formAbout": .optional(about), "formTicket": .exact(state.tickets.issue(for: action)),
            "formPage": .exact(request.page.path),
            "formEnvironment": .text(request.environmentName), "formButton": .text(button),
            "formButtonKind": .text(isDangerous ? "danger" : "main"), "formCommand": .exact(command),
            "formFilled": .foreign(Self.fill(command, known), limit: 2000),
            "formFields": .list(
                values.map { field, value in
                    self.value(field, value, isWrong: typed != nil && typed?.failure.param == field.name)
                }),
        ]
    }

    private func value(_ field: Field, _ value: String, isWrong: Bool) -> PageValue {
        var values: [String: PageValue] = [
            "fieldID": .text(Self.fieldID(id, field.name)), "fieldName": .text(field.name),
            "fieldLabel": .text(field.label), "fieldHint": .optional(field.hint), "fieldValue": .exact(value),
            "isWrong": .flag(isWrong), "isRequired": .flag(field.isRequired), "isHidden": false, "isText": false,
            "isNumber": false, "isArea": false, "choice": .nothing, "box": .nothing,
        ]
        switch field.kind {
        case .hidden: values["isHidden"] = true
        case .text: values["isText"] = true
        case .number: values["isNumber"] = true
        case .area: values["isArea"] = true
        case .choice(let options):
            values["choice"] = [
                "options": .list(
                    options.map { option in
                        [
                            "optionValue": .exact(option.value), "optionTitle": .text(option.title),
                            "isChosen": .flag(option.value == value),
                        ]
                    })
            ]
        case .box(let on): values["box"] = ["boxValue": .exact(on), "isChosen": .flag(value == on)]
        }
        return .object(values)
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
