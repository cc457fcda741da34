internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import WebConsole

/// The routes that confirm and perform actions.
enum ConsoleActions {
    static func add(to router: Router<ServerContext>, _ console: Console) {
        router.post("/console/confirm") { request, context -> Response in
            let (visit, action) = try await self.visit(request, context, console)
            return try await confirmation(visit, action, problem: nil)
        }
        router.post("/console/do") { request, context in
            let (visit, action) = try await self.visit(request, context, console)
            return try await perform(action, visit)
        }
    }

    private static func visit(
        _ request: Request, _ context: ServerContext, _ console: Console
    ) async throws -> (Visit, ConsoleAction) {
        let signedIn: Visit
        do { signedIn = try ConsoleRoutes.visit(request, context, console) } catch is SignIn.Required {
            throw SignIn.Required(back: try await origin(of: request))
        }
        let (sent, knownAction) = try await form(request)
        var fields = sent
        guard let action = knownAction else {
            throw APIFailure.notFound("There is no such action.")
        }
        guard signedIn.may(action.scope), signedIn.mayWrite else {
            var entry = console.core.requestAudit.entry(
                request, signedIn.context, actor: signedIn.principal.name, result: "403 forbidden")
            entry.detail = "action=\(action.name)"
            console.core.audit.add(entry)
            throw APIFailure.forbidden(
                signedIn.mayWrite
                    ? "The key \(signedIn.principal.name) lacks the scope \(action.scope.rawValue)."
                    : "The console is read-only.")
        }
        for (name, value) in action.defaults(console.core.now) where fields[name] == nil { fields.set(name, value) }
        // Use the app and environment of the page with the form.
        var visit = signedIn
        if fields["app"] != nil || fields["environment"] != nil {
            visit.selection = try console.selection(
                app: fields["app"], environment: fields["environment"], for: signedIn.principal)
        }
        visit.fields = fields
        return (visit, action)
    }

    /// Returns the sent form and its action; the action is nil if its name is unknown.
    private static func form(_ request: Request) async throws -> (FormFields, ConsoleAction?) {
        var fields = try await FormFields(request)
        let action = ConsoleAction.named(fields["action"])
        if let name = action?.customer { fields.preserveWhitespace(of: name) }
        return (fields, action)
    }

    /// Returns the page with the form, to return to after signing in; nil if the action is unknown or the link is too
    /// long.
    private static func origin(of request: Request) async throws -> PageLink? {
        let (fields, knownAction) = try await form(request)
        guard let action = knownAction else { return nil }
        let query = ["app", "environment"].compactMap { name in fields[name].map { (name, $0) } }
        // The link is sent in a header, which has a shorter limit than a form: `PageLink(own:)` returns nil above it.
        return PageLink(own: PageLink(["console"] + action.back(fields), query: query).description)
    }

    private static func confirmation(
        _ visit: Visit, _ action: ConsoleAction, problem: String?
    ) async throws -> Response {
        let dryRunSentences: [String]
        do {
            _ = try action.request(visit.fields)
            dryRunSentences = try await action.dryRun?(visit) ?? []
        } catch let failure as APIFailure { return refusal(failure, of: action, visit) }
        var page = visit.page(action.title)
        if let problem { page.problem = .init("Not done", reasons: [problem]) }
        page.status = problem == nil ? 200 : 409
        let fields = action.fields.compactMap { name in visit.fields[name].map { (name, $0) } }
        let confirmation = Confirmation(
            action.consequences(visit.fields) + dryRunSentences, button: action.title,
            action: PageLink("console", "do"),
            cancel: back(from: action, visit), ticket: visit.console.tickets.issue(for: purpose(action, visit)),
            fields: [("action", action.name)] + fields + visit.selection.query,
            typedWord: action.typedWord.map { $0(visit.fields) }, asksForReason: action.asksForReason,
            reason: visit.fields[Confirmation.reasonField] ?? "", isDangerous: action.typedWord != nil)
        let html = visit.console.library.page("confirmation", confirmation.values, in: visit.shell(page))
        return .page(html, status: .init(code: page.status))
    }

    private static func perform(_ action: ConsoleAction, _ visit: Visit) async throws -> Response {
        if let typedWord = action.typedWord, visit.fields[Confirmation.typedField] != typedWord(visit.fields) {
            return try await confirmation(visit, action, problem: "What you typed is not the name.")
        }
        if action.asksForReason, visit.fields[Confirmation.reasonField] == nil {
            return try await confirmation(visit, action, problem: "Give a reason.")
        }
        let response = try await visit.console.tickets.once(visit.fields["ticket"], for: purpose(action, visit)) {
            do { return try await attempt(action, visit) } catch {
                return .done(
                    visit.console.response(to: error, visit.request, visit.context), later: back(from: action, visit))
            }
        }
        if let response { return response }
        return try await confirmation(
            visit, action, problem: "The form has expired. Check the values and confirm again.")
    }

    private static func attempt(_ action: ConsoleAction, _ visit: Visit) async throws -> FormTickets.Outcome {
        var request: ConsoleRequest
        do { request = try action.request(visit.fields) } catch let failure as APIFailure {
            return .notDone(refusal(failure, of: action, visit))
        }
        if action.namesActor { request.body["actor"] = visit.principal.name }
        let answer = try await visit.send(request)
        switch answer.status {
        case ..<300: break
        // The API rejected the request without any effect.
        case 400..<500:
            if action.hasInput(answer.field) { return .notDone(refusal(answer.failure, of: action, visit)) }
            return .notDone(try await confirmation(visit, action, problem: answer.message))
        default: return .done(uncertainty(answer, of: action, visit), later: back(from: action, visit))
        }
        let done = back(from: action, visit, [("done", action.name)])
        guard let resultPage = action.resultPage else { return .done(.seeOther(done), later: done) }
        return .done(visit.response(resultPage(answer.json, visit)), later: done)
    }

    /// Returns the purpose of a form ticket: one action in one session.
    private static func purpose(_ action: ConsoleAction, _ visit: Visit) -> String {
        "\(action.name)\n\(visit.context.session ?? "")"
    }

    private static func back(
        from action: ConsoleAction, _ visit: Visit, _ query: [(String, String)] = []
    ) -> PageLink {
        PageLink(["console"] + action.back(visit.fields), query: visit.selection.query + query)
    }

    /// Returns the page for a rejected action, with its form to correct.
    private static func refusal(_ failure: APIFailure, of action: ConsoleAction, _ visit: Visit) -> Response {
        var page = visit.page(action.title)
        page.problem = .init("Not done", reasons: [failure.message])
        page.status = failure.status.code
        page.links([("Back", back(from: action, visit))])
        page.addFormToCorrect(action, visit, isWrong: failure.parameter)
        return visit.response(page)
    }

    /// Returns the page for an action with unknown outcome. Repeating the action may perform it twice.
    private static func uncertainty(
        _ answer: ConsoleAPI.Answer, of action: ConsoleAction, _ visit: Visit
    ) -> Response {
        var page = visit.page(action.title)
        page.problem = .init(
            "It may or may not have been done", reasons: [answer.message, "Check the result before you repeat it."])
        page.status = answer.status
        page.links([("Check", back(from: action, visit))])
        return visit.response(page)
    }
}

extension ConsolePage {
    /// Adds the form of an action, which leads to its confirmation page. Adds nothing if the key may not perform the
    /// action.
    ///
    /// - Parameter choices: The fields with lists of options. They precede the fields to type.
    mutating func action(
        _ name: String, _ visit: Visit, _ values: [(String, String)], _ choices: [Field] = [], title: String? = nil,
        button: String? = nil, isInPlace: Bool = false
    ) {
        guard let action = ConsoleAction.named(name), visit.may(action.scope), visit.mayWrite else { return }
        if let title { formTitle(title) }
        let hidden = ([("action", name)] + values + visit.selection.query).map { Field.hidden($0.0, $0.1) }
        form(
            PageLink("console", "confirm"), hidden + choices + action.inputs, button: button ?? action.title + "…",
            isInPlace: isInPlace)
    }

    /// Adds the form of a rejected action with the sent values. Adds nothing if the action has no fields to type.
    fileprivate mutating func addFormToCorrect(_ action: ConsoleAction, _ visit: Visit, isWrong name: String?) {
        guard !action.inputs.isEmpty else { return }
        let reason = action.asksForReason ? [Confirmation.reasonField] : []
        let chosen = (action.fields.filter { !action.hasInput($0) } + reason).compactMap { name in
            visit.fields[name].map { (name, $0) }
        }
        let hidden = ([("action", action.name)] + chosen + visit.selection.query).map { Field.hidden($0.0, $0.1) }
        let typed = action.inputs.map { input in
            var input = input
            input.value = visit.fields.exact(input.name) ?? ""
            input.isWrong = input.isNamed(name)
            return input
        }
        form(PageLink("console", "confirm"), hidden + typed, button: action.title + "…")
    }

    /// Adds a note about the action that led to this page.
    mutating func addNoteOfDoneAction(_ visit: Visit) {
        guard let action = ConsoleAction.named(visit.parameter("done")) else { return }
        notes.append("Done: \(action.title.prefix(1).lowercased())\(action.title.dropFirst()).")
    }
}
