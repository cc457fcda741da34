internal import Basics
internal import Foundation
internal import HTTPTypes
internal import WebConsole

/// What can be done in the console. Each asks for confirmation on a page of its own, and is a request to the API.
struct ConsoleAction: Sendable {
    /// What it is in the form.
    let name: String
    let title: String
    let scope: APIScope
    /// The fields that it takes.
    let fields: [String]
    /// The field that names a customer, if there is one. Blanks at the ends of such a name are part of it.
    var customer: String?
    /// What will happen.
    let consequences: @Sendable (FormFields) -> [String]
    /// What is asked of the API. It throws an ``APIFailure`` that names the field that cannot be read.
    let request: @Sendable (FormFields) throws -> ConsoleRequest
    /// The page to go to afterwards.
    let back: @Sendable (FormFields) -> [String]
    /// What has to be typed.
    var typed: (@Sendable (FormFields) -> String)?
    /// Whether the body names who does it.
    var namesActor = false
    /// What empty fields mean, by the server's time. The page that asks fixes it, so that what was counted is what is done.
    var defaults: @Sendable (Date) -> [String: String] = { _ in [:] }
    /// What the API says of it before it is done: more of what will happen.
    var count: (@Sendable (Visit) async throws -> [String])?
    /// Whether a reason has to be given on the page that asks.
    var asksForReason = false
    /// A page of what the API answered, where that is seen once.
    var shows: (@Sendable (APIValue, Visit) -> ConsolePage)?
    /// The fields that somebody types. Where one of them is refused, all are asked for again with what was typed.
    var inputs: [ConsolePage.Field] = []

    static func named(_ name: String?) -> ConsoleAction? { all.first { $0.name == name } }

    /// Whether something of that name is typed.
    func hasInput(_ name: String?) -> Bool { inputs.contains { $0.isNamed(name) } }
}

extension ConsolePage.Field {
    /// Whether this is its name, or the one that the API has for it: `offer` is `offer_id` there.
    func isNamed(_ name: String?) -> Bool { name == self.name || name == self.name + "_id" }
}

/// A request to the API, as an action makes it.
struct ConsoleRequest {
    var method: HTTPRequest.Method
    /// The segments below `/v1`.
    var path: [String]
    /// Whether the route takes an app and an environment.
    var isScoped = false
    var body: [String: Any] = [:]

    init(_ method: HTTPRequest.Method, _ path: String..., isScoped: Bool = false, body: [String: Any] = [:]) {
        (self.method, self.path, self.isScoped, self.body) = (method, path, isScoped, body)
    }
}

extension FormFields {
    /// A field; empty where it is missing.
    func text(_ name: String) -> String { self[name] ?? "" }

    /// A field that is an instant, in milliseconds; nil where it is empty.
    func instant(_ name: String) throws(APIFailure) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let instant = InstantText.milliseconds(text, acceptsDays: true) else {
            throw APIFailure(
                "invalid_instant", "The field \(name) is no instant: \(text.prefix(60)). \(InstantText.form)",
                parameter: name)
        }
        return instant
    }

    func requiredInstant(_ name: String) throws(APIFailure) -> Int64 {
        guard let instant = try instant(name) else {
            throw APIFailure("missing_field", "The field \(name) is empty. \(InstantText.form)", parameter: name)
        }
        return instant
    }

    /// A field that is a whole number; nil where it is empty.
    func number(_ name: String) throws(APIFailure) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let number = Int64(text) else {
            throw APIFailure(
                "invalid_number", "The field \(name) is no whole number: \(text.prefix(60)).", parameter: name)
        }
        return number
    }
}
