internal import AppStoreModels
internal import ConfigurationReading

extension Scenario {
    struct Expectation: Sendable {
        var notifications: [ExpectedNotification]?
        /// The customers and their expected facts, ordered by name.
        var customers: [(name: String, facts: [String: ConfigurationValue])] = []
    }

    struct ExpectedNotification: Sendable {
        var name: String
        var customer: String?
        /// The other expected values, by part of the notification. Null means that a field has to be absent.
        var parts: [String: ConfigurationValue] = [:]
    }
}

/// Parses the expectations of a scenario.
struct ExpectationReader {
    let diagnostics: ConfigurationDiagnostics

    func read(_ value: ConfigurationValue, at path: String) -> Scenario.Expectation? {
        guard var section = Section(value, path: path, diagnostics: diagnostics) else { return nil }
        var expectation = Scenario.Expectation()
        for key in section.keys {
            if key == "notifications" {
                // An empty list means that there must be no notifications.
                expectation.notifications = section.list(key).compactMap { notification($0.value, at: $0.path) }
            } else if var facts = section.section(key) {
                expectation.customers.append((key, self.facts(&facts)))
            }
        }
        return expectation
    }

    private func notification(_ value: ConfigurationValue, at path: String) -> Scenario.ExpectedNotification? {
        if case .text(let name) = value.content { return check(.init(name: name), value, at: path) }
        guard var section = Section(value, path: path, diagnostics: diagnostics) else { return nil }
        guard let name = section.requiredText("type") else { return nil }
        var notification = Scenario.ExpectedNotification(name: name)
        notification.customer = section.text("customer")
        for part in [
            "status", "consumptionRequestReason", "transaction", "renewalInfo", "summary", "externalPurchaseToken",
        ] {
            if let value = section.value(part) { notification.parts[part] = value }
        }
        section.finish()
        return check(notification, value, at: path)
    }

    /// Reports a problem and returns nil if the App Store has no notification of this name.
    private func check(
        _ notification: Scenario.ExpectedNotification, _ value: ConfigurationValue, at path: String
    ) -> Scenario.ExpectedNotification? {
        let names = NotificationKind.all.map(\.name) + NotificationTypeV1.allCases.map(\.name)
        guard names.contains(notification.name) else {
            let suggestion = SpellingSuggestion.suggestion(for: notification.name, among: names)
            diagnostics.problem(path, "\(quoted(notification.name)) is no notification" + suggestion, line: value.line)
            return nil
        }
        return notification
    }

    private func facts(_ section: inout Section) -> [String: ConfigurationValue] {
        var facts: [String: ConfigurationValue] = [:]
        for key in section.keys where CustomerFacts.names.contains(key) {
            // Null is a value here: it means that the fact has to be absent.
            facts[key] = section.value(key) ?? ConfigurationValue(.nothing)
        }
        for name in CustomerFacts.names { section.ignore(name) }
        section.finish()
        return facts
    }
}
