internal import AppStoreModels
internal import ConfigurationReading
internal import Foundation

extension ScenarioRunner {
    /// Returns the notifications from number `first` on that concern the scenario's customers or no customer.
    func notifications(from first: Int) -> [NotificationRecord] {
        core.read(environment) { store, _ in
            store.notifications.dropFirst(first).filter { $0.customer.map(customers.contains) ?? true }
        }
    }

    /// Compares the state of the store with an expectation.
    ///
    /// - Returns: The differences.
    mutating func compare(_ expectation: Scenario.Expectation) throws -> [String] {
        let runner = self
        var comparison = Comparison { runner.identifier(of: $0) }
        if let expected = expectation.notifications {
            let actual = notifications(from: seen[environment] ?? 0)
            seen[environment] = core.read(environment) { store, _ in store.notifications.count }
            try compare(actual, with: expected, &comparison)
        }
        for (name, facts) in expectation.customers { try compare(name, with: facts, &comparison) }
        return comparison.mismatches
    }

    private func compare(
        _ actual: [NotificationRecord], with expected: [Scenario.ExpectedNotification], _ comparison: inout Comparison
    ) throws {
        guard actual.map(\.name) == expected.map(\.name) else {
            let (names, others) = (expected.map(\.name), actual.map(\.name))
            comparison.mismatches.append(
                "notifications: expected \(names.isEmpty ? "none" : names.joined(separator: ", ")), "
                    + "got \(others.isEmpty ? "none" : others.joined(separator: ", "))")
            return
        }
        for (index, (record, expected)) in zip(actual, expected).enumerated() {
            let path = "notifications[\(index)] \(expected.name)"
            if let customer = expected.customer {
                let actual = record.customer.map { JSONValue.string(String($0.dropLast(suffix.count))) }
                comparison.compare(actual, with: ConfigurationValue(.text(customer)), at: path + " customer")
            }
            let parts = try record.parts()
            for (part, value) in expected.parts.sorted(by: { $0.key < $1.key }) {
                comparison.compare(parts[part], with: value, at: "\(path) \(part)")
            }
        }
    }

    private func compare(
        _ name: String, with facts: [String: ConfigurationValue], _ comparison: inout Comparison
    ) throws {
        var selector: String?
        if case .text(let text)? = facts["subscription"]?.content { selector = identifier(of: text) }
        let now = core.now
        let actual: CustomerFacts
        do {
            actual = try core.read(environment) { store, _ in
                try CustomerFacts(store, name + suffix, choosing: selector, at: now)
            }
        } catch let error as StoreError {
            comparison.mismatches.append("\(name): \(error.message)")
            return
        }
        for (fact, expected) in facts.sorted(by: { $0.key < $1.key }) where fact != "subscription" {
            comparison.compare(actual.values[fact], with: expected, at: "\(name).\(fact)")
        }
    }
}

extension NotificationRecord {
    /// Returns the parts of the notification that a scenario can check, as JSON.
    fileprivate func parts() throws -> [String: JSONValue] {
        switch content {
        case .purchase(let purchase):
            var parts = ["transaction": try JSONValue(encoding: purchase.transaction)]
            if let info = purchase.renewalInfo { parts["renewalInfo"] = try JSONValue(encoding: info) }
            if let status = purchase.status { parts["status"] = .integer(Int64(status.rawValue)) }
            parts["consumptionRequestReason"] = purchase.consumptionRequestReason.map { .string($0.rawValue) }
            return parts
        case .summary(let summary): return ["summary": try JSONValue(encoding: summary)]
        case .externalPurchaseToken(let token): return ["externalPurchaseToken": try JSONValue(encoding: token)]
        case .appTransaction, .test, .version1: return [:]
        }
    }
}
