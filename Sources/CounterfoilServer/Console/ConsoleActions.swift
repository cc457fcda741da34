internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import WebConsole

/// The routes that confirm and perform actions.
enum ConsoleActions {
    static func add(to router: Router<ServerContext>, _ console: Console) {
        router.post("/console/confirm") { request, context -> Response in
            let (pageRequest, action) = try await self.pageRequest(request, context, console)
            return try await confirmation(pageRequest, action, problem: nil)
        }
        router.post("/console/do") { request, context in
            let (pageRequest, action) = try await self.pageRequest(request, context, console)
            return try await perform(action, pageRequest)
        }
    }

    private static func pageRequest(
        _ request: Request, _ context: ServerContext, _ console: Console
    ) async throws -> (PageRequest, ConsoleAction) {
        let signedIn: PageRequest
        do { signedIn = try ConsoleRoutes.pageRequest(request, context, console) } catch is SignIn.Required {
            throw SignIn.Required(back: try await origin(of: request))
        }
        let (sent, knownAction) = try await form(request)
        var fields = sent
        guard let action = knownAction else { throw APIFailure.notFound("There is no such action.") }
        guard signedIn.may(action.scope), signedIn.mayWrite else {
            var entry = console.audit.entry(request, signedIn.context, result: "403 forbidden")
            entry.detail = "action=\(action.name)"
            console.audit.add(entry, signedIn.context)
            throw APIFailure.forbidden(
                signedIn.mayWrite
                    ? "The key \(signedIn.principal.name) lacks the scope \(action.scope.rawValue)."
                    : "The console is read-only.")
        }
        for (name, value) in action.defaults(signedIn.now) where fields[name] == nil { fields.set(name, value) }
        // Use the app and environment of the page with the form.
        var pageRequest = signedIn
        if fields["app"] != nil || fields["environment"] != nil {
            pageRequest.selection = try console.selection(
                app: fields["app"], environment: fields["environment"], for: signedIn.principal)
        }
        pageRequest.fields = fields
        return (pageRequest, action)
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
        _ pageRequest: PageRequest, _ action: ConsoleAction, problem: String?
    ) async throws -> Response {
        let dryRunSentences: [String]
        do {
            let request = try action.request(pageRequest.fields)
            dryRunSentences = try await action.dryRun?(request, pageRequest) ?? []
        } catch let failure as APIFailure { return refusal(failure, of: action, pageRequest) }
        var page = pageRequest.page(action.title)
        if let problem { page.problem = .init("Not done", reasons: [problem]) }
        page.status = problem == nil ? 200 : 409
        let fields = action.fields.compactMap { name in pageRequest.fields[name].map { (name, $0) } }
        let confirmation = Confirmation(
            action.consequences(pageRequest.fields) + dryRunSentences, button: action.title,
            action: PageLink("console", "do"),
            cancel: back(from: action, pageRequest),
            ticket: pageRequest.console.tickets.issue(for: purpose(action, pageRequest)),
            fields: [("action", action.name)] + fields + pageRequest.selection.query,
            typedWord: action.typedWord.map { $0(pageRequest.fields) }, asksForReason: action.asksForReason,
            reason: pageRequest.fields[Confirmation.reasonField] ?? "", isDangerous: action.typedWord != nil)
        let html = pageRequest.console.library.page("confirmation", confirmation.values, in: pageRequest.shell(page))
        return .page(html, status: .init(code: page.status))
    }

    private static func perform(_ action: ConsoleAction, _ pageRequest: PageRequest) async throws -> Response {
        if let typedWord = action.typedWord,
            pageRequest.fields[Confirmation.typedField] != typedWord(pageRequest.fields)
        {
            return try await confirmation(pageRequest, action, problem: "What you typed is not the name.")
        }
        if action.asksForReason, pageRequest.fields[Confirmation.reasonField] == nil {
            return try await confirmation(pageRequest, action, problem: "Give a reason.")
        }
        let response = try await pageRequest.console.tickets.once(
            pageRequest.fields["ticket"], for: purpose(action, pageRequest)
        ) {
            do { return try await attempt(action, pageRequest) } catch {
                return .done(
                    pageRequest.console.response(to: error, pageRequest.request, pageRequest.context),
                    later: back(from: action, pageRequest))
            }
        }
        if let response { return response }
        return try await confirmation(
            pageRequest, action, problem: "The form has expired. Check the values and confirm again.")
    }

    private static func attempt(_ action: ConsoleAction, _ pageRequest: PageRequest) async throws -> FormTickets.Outcome
    {
        var request: ConsoleRequest
        do { request = try action.request(pageRequest.fields) } catch let failure as APIFailure {
            return .notDone(refusal(failure, of: action, pageRequest))
        }
        if action.namesActor { request.body["actor"] = pageRequest.principal.name }
        let answer = try await pageRequest.send(request)
        switch answer.status {
        case ..<300: break
        // The API rejected the request without any effect.
        case 400..<500:
            if action.hasInput(answer.field) { return .notDone(refusal(answer.failure, of: action, pageRequest)) }
            return .notDone(try await confirmation(pageRequest, action, problem: answer.message))
        default: return .done(uncertainty(answer, of: action, pageRequest), later: back(from: action, pageRequest))
        }
        let done = back(from: action, pageRequest, [("done", action.name)])
        guard let resultPage = action.resultPage else { return .done(.seeOther(done), later: done) }
        return .done(pageRequest.response(resultPage(answer.json, pageRequest)), later: done)
    }

    /// Returns the purpose of a form ticket: one action in one session.
    private static func purpose(_ action: ConsoleAction, _ pageRequest: PageRequest) -> String {
        "\(action.name)\n\(pageRequest.context.session ?? "")"
    }

    private static func back(
        from action: ConsoleAction, _ pageRequest: PageRequest, _ query: [(String, String)] = []
    ) -> PageLink {
        PageLink(["console"] + action.back(pageRequest.fields), query: pageRequest.selection.query + query)
    }

    /// Returns the page for a rejected action, with its form to correct.
    private static func refusal(_ failure: APIFailure, of action: ConsoleAction, _ pageRequest: PageRequest) -> Response
    {
        var page = pageRequest.page(action.title)
        page.problem = .init("Not done", reasons: [failure.message])
        page.status = failure.status.code
        page.links([("Back", back(from: action, pageRequest))])
        page.addFormToCorrect(action, pageRequest, isWrong: failure.parameter)
        return pageRequest.response(page)
    }

    /// Returns the page for an action with unknown outcome. Repeating the action may perform it twice.
    private static func uncertainty(
        _ answer: ConsoleAPI.APIResponse, of action: ConsoleAction, _ pageRequest: PageRequest
    ) -> Response {
        var page = pageRequest.page(action.title)
        page.problem = .init(
            "It may or may not have been done", reasons: [answer.message, "Check the result before you repeat it."])
        page.status = answer.status
        page.links([("Check", back(from: action, pageRequest))])
        return pageRequest.response(page)
    }
}

extension ConsolePage {
    /// Adds the form of an action, which leads to its confirmation page. Adds nothing if the key may not perform the
    /// action.
    ///
    /// - Parameter choices: The fields with lists of options. They precede the fields to type.
    mutating func action(
        _ name: String, _ pageRequest: PageRequest, _ values: [(String, String)], _ choices: [FormField] = [],
        title: String? = nil,
        button: String? = nil, isInPlace: Bool = false
    ) {
        guard let action = ConsoleAction.named(name), pageRequest.may(action.scope), pageRequest.mayWrite else {
            return
        }
        if let title { formTitle(title) }
        let hidden = FormField.hidden([("action", name)] + values + pageRequest.selection.query)
        form(
            PageLink("console", "confirm"), hidden + choices + action.inputs, button: button ?? action.title + "…",
            isInPlace: isInPlace)
    }

    /// Adds the form of a rejected action with the sent values. Adds nothing if the action has no fields to type.
    fileprivate mutating func addFormToCorrect(
        _ action: ConsoleAction, _ pageRequest: PageRequest, isWrong name: String?
    ) {
        guard !action.inputs.isEmpty else { return }
        let reason = action.asksForReason ? [Confirmation.reasonField] : []
        let chosen = (action.fields.filter { !action.hasInput($0) } + reason).compactMap { name in
            pageRequest.fields[name].map { (name, $0) }
        }
        let hidden = FormField.hidden([("action", action.name)] + chosen + pageRequest.selection.query)
        let typed = action.inputs.map { input in
            var input = input
            input.value = pageRequest.fields.exact(input.name) ?? ""
            input.isWrong = input.isNamed(name)
            return input
        }
        form(PageLink("console", "confirm"), hidden + typed, button: action.title + "…")
    }

    /// Adds a note about the action that led to this page.
    mutating func addNoteOfDoneAction(_ pageRequest: PageRequest) {
        guard let action = ConsoleAction.named(pageRequest.parameter("done")) else { return }
        notes.append("\(action.title): done.")
    }
}
