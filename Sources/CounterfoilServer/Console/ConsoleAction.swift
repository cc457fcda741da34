internal import Basics
internal import Foundation
internal import HTTPTypes
internal import WebConsole

/// An action of the console: a request to the API that the user confirms on a separate page.
struct ConsoleAction: Sendable {
    /// The identifier in forms.
    let name: String
    let title: String
    let scope: APIScope
    /// The names of the form fields.
    let fields: [String]
    /// The field that contains a customer ID, if there is one. It is not trimmed.
    var customer: String?
    /// The sentences on the confirmation page that say what will happen.
    let consequences: @Sendable (FormFields) -> [String]
    /// Makes the request to the API. Throws an ``APIFailure`` that names a malformed field.
    let request: @Sendable (FormFields) throws -> ConsoleRequest
    /// The segments of the page to show afterwards.
    let back: @Sendable (FormFields) -> [String]
    /// The text that the user must type to confirm.
    var typedWord: (@Sendable (FormFields) -> String)?
    /// Whether the body contains the name of the key as `actor`.
    var namesActor = false
    /// The values of empty fields, from the server's time. The confirmation page fixes them, so that the action affects
    /// exactly what was counted.
    var defaults: @Sendable (Date) -> [String: String] = { _ in [:] }
    /// Further sentences for the confirmation page, from a dry run of the action's request.
    var dryRun: (@Sendable (ConsoleRequest, PageRequest) async throws -> [String])?
    /// Whether the confirmation page requires a reason.
    var asksForReason = false
    /// Makes a page from the API's response, if the response is shown only once.
    var resultPage: (@Sendable (APIValue, PageRequest) -> ConsolePage)?
    /// The fields that the user types. If the API rejects one, the form is shown again with the typed values.
    var inputs: [FormField] = []

    static func named(_ name: String?) -> ConsoleAction? { all.first { $0.name == name } }

    /// Whether the user types a field of this name.
    func hasInput(_ name: String?) -> Bool { inputs.contains { $0.isNamed(name) } }
}

extension FormField {
    /// Whether a name is the field's name or its name in the API: `offer` is `offer_id` in the API.
    func isNamed(_ name: String?) -> Bool { name == self.name || name == self.name + "_id" }
}

/// A request to the API.
struct ConsoleRequest {
    var method: HTTPRequest.Method
    /// The segments below `/v1`.
    var path: [String]
    /// Whether the route has the parameters `app` and `environment`.
    var isScoped = false
    var body: [String: Any] = [:]

    init(_ method: HTTPRequest.Method, _ path: String..., isScoped: Bool = false, body: [String: Any] = [:]) {
        (self.method, self.path, self.isScoped, self.body) = (method, path, isScoped, body)
    }
}

extension FormFields {
    /// Returns the text of a field; empty if it is missing.
    func text(_ name: String) -> String { self[name] ?? "" }

    /// Returns the instant in a field, in milliseconds; nil if the field is empty.
    func instant(_ name: String) throws(APIFailure) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let instant = InstantText.milliseconds(text, acceptsDays: true) else {
            throw APIFailure(
                "invalid_instant", "The field \(name) is not an instant: \(text.prefix(60)). \(InstantText.form)",
                parameter: name)
        }
        return instant
    }

    /// Returns the instant in a field with its time and zone, for a sentence: a day begins at midnight UTC. Returns the
    /// typed text if it is no instant or has a fraction of a second, and nil if the field is empty.
    func shownInstant(_ name: String) -> String? {
        guard let text = self[name] else { return nil }
        guard let instant = InstantText.milliseconds(text, acceptsDays: true), instant % 1000 == 0 else { return text }
        return Date(timeIntervalSince1970: Double(instant / 1000)).consoleText
    }

    func requiredInstant(_ name: String) throws(APIFailure) -> Int64 {
        guard let instant = try instant(name) else {
            throw APIFailure("missing_parameter", "The field \(name) is empty. \(InstantText.form)", parameter: name)
        }
        return instant
    }

    /// Returns the integer in a field; nil if the field is empty.
    func number(_ name: String) throws(APIFailure) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let number = Int64(text) else {
            throw APIFailure(
                "invalid_number", "The field \(name) is not a whole number: \(text.prefix(60)).", parameter: name)
        }
        return number
    }
}
