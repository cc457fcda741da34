/// A page that says what will happen, and asks. It is the template `confirmation`.
package struct Confirmation: Sendable {
    /// What will happen, in numbers.
    package var consequences: [String]
    /// What goes along with the form, unchanged.
    package var fields: [(String, String)]
    /// The text of the button: a verb.
    package var button: String
    package var action: PageLink
    package var cancel: PageLink
    package var ticket: String
    /// What has to be typed, for what cannot be undone.
    package var typedWord: String?
    /// Whether to ask for a reason, which is kept.
    package var asksForReason: Bool
    /// The reason that was given before, where the page asks again.
    package var reason: String
    package var isDangerous: Bool

    package init(
        _ consequences: [String], button: String, action: PageLink, cancel: PageLink, ticket: String,
        fields: [(String, String)] = [], typedWord: String? = nil, asksForReason: Bool = false, reason: String = "",
        isDangerous: Bool = false
    ) {
        (self.consequences, self.button, self.action, self.cancel) = (consequences, button, action, cancel)
        (self.ticket, self.fields, self.typedWord) = (ticket, fields, typedWord)
        (self.asksForReason, self.reason, self.isDangerous) = (asksForReason, reason, isDangerous)
    }

    /// The names of its own fields. The form also has `ticket`.
    package static let typedField = "typed"
    package static let reasonField = "reason"

    package var values: [String: PageValue] {
        [
            "consequences": .list(consequences.map { .foreign($0, limit: 500) }), "button": .text(button),
            "actionURL": .link(action), "cancelURL": .link(cancel), "ticket": .exact(ticket),
            "fields": .list(fields.map { ["name": .exact($0.0), "value": .exact($0.1)] }),
            "typed": typedWord.map { ["word": .foreign($0, limit: 200)] } ?? .nothing,
            "asksForReason": .flag(asksForReason), "reason": .exact(reason),
            "buttonKind": .text(isDangerous ? "danger" : "main"),
        ]
    }
}
