internal import Foundation
internal import HTTPTypes
internal import WebConsole

/// A request to the control API that a form makes.
struct ControlCall: Sendable {
    var method: HTTPRequest.Method
    /// The path, as in ``ControlRoutes/operations``.
    var path: String
    var parameters: [String: String] = [:]
    var query: [String: String] = [:]
    var body: JSONValue?

    init(
        _ method: HTTPRequest.Method, _ path: String, _ parameters: [String: String] = [:],
        query: [String: String] = [:], body: JSONValue? = nil
    ) {
        (self.method, self.path, self.parameters, self.query, self.body) = (method, path, parameters, query, body)
    }
}

/// The action of a form: a call of the control API, the same that a program would make.
struct PanelAction: Sendable {
    /// A request for confirmation.
    struct ConfirmationPrompt: Sendable {
        var heading: String
        var consequences: [String]
        var button: String
        var typedWord: String?
    }

    var call: @Sendable (FormFields) throws -> ControlCall
    /// Returns a sentence about the completed action, from the fields and the response.
    var done: @Sendable (FormFields, JSONValue) -> String
    var confirmation: (@Sendable (FormFields) throws -> ConfirmationPrompt?)?
    /// The fields that are copied to the query of the next page, as initial values of the form.
    var preservedFields: [String] = []
    /// Returns the next page; nil for the page of the form.
    var nextPage: @Sendable (FormFields, JSONValue) -> PanelPage? = { _, _ in nil }
}

extension FormFields {
    /// Returns a required field.
    func required(_ name: String, _ label: String) throws(ControlFailure) -> String {
        guard let value = self[name] else { throw ControlFailure(invalid: "\(label) is missing", param: name) }
        return value
    }

    /// Returns a number; nil if the field is empty.
    func number(_ name: String, _ label: String) throws(ControlFailure) -> Decimal? {
        guard let text = self[name] else { return nil }
        guard text.wholeMatch(of: /-?[0-9]{1,12}(\.[0-9]{1,6})?/) != nil, let number = Decimal(string: text) else {
            throw ControlFailure(invalid: "\(label) is a number such as 12 or 9.99", param: name)
        }
        return number
    }
}

extension JSONValue {
    init(_ number: Decimal) {
        let double = NSDecimalNumber(decimal: number).doubleValue
        self = double == double.rounded() && abs(double) < 1e15 ? .integer(Int64(double)) : .number(double)
    }

    /// The member of an object with a name.
    subscript(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }

    var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }
}

extension SimulatorPanel {
    /// Performs the action of a form by calling the corresponding operation of the control API.
    ///
    /// - Returns: The page to show next.
    func perform(_ action: PanelAction, _ fields: FormFields, _ request: PanelRequest) async throws -> PageLink {
        if let word = try action.confirmation?(fields)?.typedWord, fields[Confirmation.typedField] != word {
            throw ControlFailure(400, "not_confirmed", "nothing was done: type \(word) to confirm")
        }
        var call = try action.call(fields)
        if call.path.contains("{environment}") { call.parameters["environment"] = request.environmentName }
        let found = ControlRoutes.operations.first { $0.method == call.method && $0.path == call.path }
        guard let operation = found else { throw ControlFailure(404, "not_found", "there is no \(call.path)") }
        let body = try call.body.map { Data(try ControlJSON.encode($0)) } ?? Data()
        let answer = try await operation.handler(
            simulator, ControlRequest(path: call.parameters, query: call.query, body: body))
        // A response without a body is no JSON.
        let json = (try? JSONValue(json: answer.body)) ?? .null
        var query = [("done", state.store(message: action.done(fields, json)))]
        query += action.preservedFields.compactMap { name in fields[name].map { (name, $0) } }
        if call.path == "/scenarios",
            let report = try? JSONDecoder().decode(ScenarioReport.self, from: Data(answer.body))
        {
            query.append(("report", state.store(report: report)))
        }
        return request.link(action.nextPage(fields, json) ?? request.page, query)
    }

    /// Returns the page that asks for confirmation of an action.
    func confirmation(
        _ question: PanelAction.ConfirmationPrompt, action: String, _ fields: FormFields, _ request: PanelRequest
    ) -> Page {
        let kept = fields.names.filter { !["ticket", "confirmed", Confirmation.typedField].contains($0) }
        let confirmation = Confirmation(
            question.consequences, button: question.button, action: PageLink("forms", action),
            cancel: request.link(request.page), ticket: state.tickets.issue(for: action),
            fields: kept.map { ($0, fields.exact($0) ?? "") } + [("confirmed", "yes")],
            typedWord: question.typedWord, isDangerous: true)
        var values = confirmation.values
        values["clock"] = clock(request)
        return Page(status: 200, template: "confirm", values: values, shell: shell(question.heading, request))
    }
}
