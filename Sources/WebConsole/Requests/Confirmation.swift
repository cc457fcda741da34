/// A page that shows the consequences of an action and asks for confirmation, for the template `question`.
package struct Confirmation: Sendable {
    /// The consequences, with numbers.
    package var consequences: [String]
    /// The hidden fields of the form.
    package var fields: [(String, String)]
    /// The text of the button: a verb.
    package var button: String
    package var action: PageLink
    package var cancel: PageLink
    package var ticket: String
    /// The text that the user must type to confirm an action that cannot be undone.
    package var typedWord: String?
    /// Whether to ask for a reason, which is stored in the audit log.
    package var asksForReason: Bool
    /// The reason of an earlier attempt, if the page is shown again.
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

    /// The names of the form's own fields. The form also has `ticket`.
    package static let typedField = "typed"
    package static let reasonField = "reason"

    package var values: [String: PageValue] {
        [
            "consequences": .list(consequences.map { .foreign($0, limit: 500) }), "button": .text(button),
            "actionURL": .link(action), "cancelURL": .link(cancel), "ticket": .exact(ticket),
            "fields": .list(fields.map { ["name": .exact($0.0), "value": .exact($0.1)] }),
            "typed": typedWord.map { ["word": .foreign($0, limit: 200)] } ?? .nothing,
            "asksForReason": asksForReason ? ["reason": .exact(reason)] : .nothing,
            "isDangerous": .flag(isDangerous),
        ]
    }
}
