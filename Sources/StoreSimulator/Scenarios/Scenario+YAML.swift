internal import AppStoreModels
internal import Basics
internal import ConfigurationReading
internal import Foundation

extension Scenario {
    /// Parses a scenario.
    ///
    /// - Throws: ``ScenarioError`` with every problem, its path in the file and its line.
    public init(yaml text: String) throws(ScenarioError) {
        do throws(ConfigurationProblems) {
            let root = try ConfigurationValue(yaml: text)
            let diagnostics = ConfigurationDiagnostics(unknownKeys: .areProblems)
            let scenario = ScenarioReader(diagnostics: diagnostics).read(root, text)
            try diagnostics.finish()
            // If the scenario is nil, `finish` has thrown its problems before this line.
            guard let scenario else { throw ConfigurationProblems("is no scenario") }
            self = scenario
        } catch {
            throw ScenarioError(problems: error.problems)
        }
    }
}

/// Parses a scenario and adds its problems to the diagnostics.
struct ScenarioReader {
    let diagnostics: ConfigurationDiagnostics

    func read(_ root: ConfigurationValue, _ text: String) -> Scenario? {
        guard var section = Section(root, path: "", diagnostics: diagnostics) else { return nil }
        let name = section.requiredText("name")
        let description = section.text("description")
        var changes: [AppStoreEnvironment: JSONValue] = [:]
        section.read("settings") { environments in
            for environment in AppStoreEnvironment.simulated {
                guard let value = environments.value(environment.pathName) else { continue }
                changes[environment] = settings(value, at: environments.path(environment.pathName))
            }
        }
        var start = AppStoreEnvironment.production
        if let text = section.text("environment") {
            start = environment(text, at: section.path("environment")) ?? start
        }
        var randomFaults: RandomFaultLevel?
        if let text = section.text("disorder") {
            randomFaults = RandomFaultLevel(rawValue: text)
            if randomFaults == nil { section.problem("disorder", "\(quoted(text)) is neither low, medium nor high") }
        }
        section.require("steps")
        let steps = section.list("steps").compactMap { step($0.value, at: $0.path) }
        section.finish()
        guard let name else { return nil }
        return Scenario(
            name: name, description: description, text: text, settings: changes, randomFaults: randomFaults,
            environment: start,
            steps: steps)
    }

    private func step(_ value: ConfigurationValue, at path: String) -> Scenario.Step? {
        diagnostics.locate(path, line: value.line)
        guard case .mapping(let members) = value.content, let (key, argument) = members.first else {
            // A command without members is written as its name only.
            if case .text(let name) = value.content, let command = command(name, .init(.mapping([:])), at: path) {
                return .init(line: value.line, title: name, action: .command(command))
            }
            diagnostics.problem(
                path, "is \(value.kind) and should be a step such as advance: 1 month", line: value.line)
            return nil
        }
        guard members.count == 1 else {
            diagnostics.problem(path, "has \(members.count) keys and should have one, its kind", line: value.line)
            return nil
        }
        let inner = path + "." + key
        diagnostics.locate(inner, line: argument.line)
        guard let action = action(key, argument, at: inner) else { return nil }
        let title = key + (key == "expect" ? "" : ": " + argument.oneLine)
        return .init(line: value.line, title: title, action: action)
    }

    private func action(_ key: String, _ value: ConfigurationValue, at path: String) -> Scenario.Action? {
        switch key {
        case "advance":
            guard let text = text(value, at: path) else { return nil }
            guard TypedDuration(text) != nil || InstantText.milliseconds(iso8601: text, acceptsDays: true) != nil else {
                diagnostics.problem(
                    path, "\(quoted(text)) is neither a duration such as 31d nor an instant", line: value.line)
                return nil
            }
            return .advance(text)
        case "environment":
            return text(value, at: path).flatMap { environment($0, at: path) }.map(Scenario.Action.environment)
        case "set": return settings(value, at: path).map(Scenario.Action.set)
        case "endOffer": return endOffer(value, at: path)
        case "fault": return fault(value, at: path)
        case "trigger": return trigger(value, at: path)
        case "refuse": return refusal(value, at: path)
        case "expect":
            return ExpectationReader(diagnostics: diagnostics).read(value, at: path).map(Scenario.Action.expect)
        default: return command(key, value, at: path).map(Scenario.Action.command)
        }
    }

    private func command(_ name: String, _ value: ConfigurationValue, at path: String) -> JSONValue? {
        guard StoreCommand.names.contains(name) else {
            let suggestion = SpellingSuggestion.suggestion(for: name, among: StoreCommand.names + Self.otherSteps)
            diagnostics.problem(path, "is not a step" + suggestion, line: value.line)
            return nil
        }
        var value = value
        if case .nothing = value.content { value.content = .mapping([:]) }
        let json = JSONValue.object([name: value.json()])
        return decoded(StoreCommand.self, json, value, at: path, dropping: name) == nil ? nil : json
    }

    private func refusal(_ value: ConfigurationValue, at path: String) -> Scenario.Action? {
        guard case .mapping(var members) = value.content, let code = members.removeValue(forKey: "code"),
            case .text(let text) = code.content, members.count == 1, let (name, argument) = members.first
        else {
            diagnostics.problem(
                path, "should be a command and a code, such as {cancel: {customer: anna}, code: unknown_customer}",
                line: value.line)
            return nil
        }
        return command(name, argument, at: path + "." + name).map { .refuse($0, code: text) }
    }

    private func fault(_ value: ConfigurationValue, at path: String) -> Scenario.Action? {
        let json = value.json()
        do { try Fault.checkEffect(json) } catch {
            report(error, value, at: path)
            return nil
        }
        return decoded(Fault.self, json, value, at: path).map(Scenario.Action.fault)
    }

    private func trigger(_ value: ConfigurationValue, at path: String) -> Scenario.Action? {
        var json: [String: JSONValue] = [:]
        if case .text(let name) = value.content {
            json = TriggerRequest.members(named: name)
        } else {
            guard var section = Section(value, path: path, diagnostics: diagnostics) else { return nil }
            guard let name = section.requiredText("notification") else { return nil }
            json = TriggerRequest.members(named: name)
            json["customer"] = section.text("customer").map(JSONValue.string)
            json["product"] = section.text("product").map(JSONValue.string)
            json["overrides"] = section.value("overrides")?.json()
            section.finish()
        }
        return decoded(TriggerRequest.self, .object(json), value, at: path).map { _ in .trigger(.object(json)) }
    }

    private func endOffer(_ value: ConfigurationValue, at path: String) -> Scenario.Action? {
        guard var section = Section(value, path: path, diagnostics: diagnostics) else { return nil }
        defer { section.finish() }
        guard let product = section.requiredText("product"), let offer = section.requiredText("offer"),
            let after = section.requiredText("after")
        else { return nil }
        guard TypedDuration(after) != nil else {
            section.problem("after", "\(quoted(after)) is not a duration such as 10 days")
            return nil
        }
        return .endOffer(product: product, offer: offer, after: after)
    }

    private func settings(_ value: ConfigurationValue, at path: String) -> JSONValue? {
        let json = value.json()
        do {
            _ = try StoreSettings.production.merging(json)
            return json
        } catch {
            report(error, value, at: path)
            return nil
        }
    }

    private func decoded<Value: Codable>(
        _ type: Value.Type, _ json: JSONValue, _ value: ConfigurationValue, at path: String, dropping name: String = ""
    ) -> Value? {
        do { return try ControlJSON.decode(type, from: json) } catch {
            report(error, value, at: path, dropping: name)
            return nil
        }
    }

    /// Reports a decoding error at its location in the file.
    private func report(_ error: any Error, _ value: ConfigurationValue, at path: String, dropping name: String = "") {
        let failure = ControlFailure(error)
        let members = (failure.param ?? "").split(separator: ".").map(String.init).filter { $0 != "_0" && $0 != name }
        let place = value.member(members)
        var message = failure.message.replacing("unknown member \(failure.param ?? "")", with: "is no member of it")
        // The place is named already.
        if let param = failure.param { message.trimPrefix(param + ": ") }
        diagnostics.problem(([path] + members).joined(separator: "."), message, line: place.line ?? value.line)
    }

    private func text(_ value: ConfigurationValue, at path: String) -> String? {
        if case .text(let text) = value.content { return text }
        diagnostics.problem(path, "is \(value.kind) and should be text", line: value.line)
        return nil
    }

    private func environment(_ text: String, at path: String) -> AppStoreEnvironment? {
        if let environment = AppStoreEnvironment.named(text) { return environment }
        diagnostics.problem(path, "\(quoted(text)) is neither production nor sandbox")
        return nil
    }

    private static let otherSteps = [
        "advance", "trigger", "fault", "set", "endOffer", "environment", "refuse", "expect",
    ]
}
