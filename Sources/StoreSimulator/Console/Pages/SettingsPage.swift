internal import Basics
internal import Foundation
internal import WebConsole

/// The form fields of the settings. Their names are the members of ``StoreSettings``.
enum PanelSettings {
    enum Kind: Sendable { case flag, number, numberOrNone([Int]), text, version, choice([String]) }

    static let fields: [(name: String, label: String, kind: Kind)] = [
        ("notificationURL", "URL for notifications", .text),
        ("notificationVersion", "Version of notifications", .version),
        ("rate", "Length of periods", .choice(RenewalRate.all.map(\.rawValue))),
        ("gracePeriod", "Billing grace period", .choice(BillingGracePeriod.allCases.map(\.rawValue))),
        ("refundDecision", "Who decides about refunds", .choice(StoreSettings.RefundDecision.allCases.map(\.rawValue))),
        ("renewalCap", "Renewals before the system turns renewal off", .numberOrNone([3, 6, 12, 24])),
        ("maximumRenewalLeadTime", "Maximum seconds that a renewal is charged early", .number),
        ("maximumRenewalDelay", "Maximum seconds that a renewal is late", .number),
        ("deliveryTimeout", "Seconds to acknowledge a notification", .number),
        ("consumptionWindow", "Seconds to answer a consumption request", .number),
        ("retriesNotifications", "Failed notifications are sent again", .flag),
        ("retriesAfterBadRequest", "Also after a 400", .flag),
        ("gracePeriodAppliesToFreeOffers", "The grace period covers free offers", .flag),
        ("sendsNotificationsForFamilyMembers", "Family members' renewals are notified", .flag),
        ("sandboxIncludesAppAppleID", "Notifications carry appAppleId", .flag),
        ("sendsConsumptionRequestsForAllProducts", "All products cause consumption requests", .flag),
        ("sendsNotificationOnLateDowngrade", "Late downgrades are notified twice", .flag),
        ("sendsAutoRenewEnabledOnPlanChange", "A change of plan also sends AUTO_RENEW_ENABLED", .flag),
        ("enforcesRateLimits", "Apple's hourly quotas are enforced", .flag),
    ]

    /// Returns the command line that changes some of the settings.
    static func command(_ isIncluded: (String) -> Bool) -> String {
        let members = fields.filter { isIncluded($0.name) }.map { name, _, kind -> String in
            switch kind {
            case .text, .choice: "\"\(name)\":{json:\(name)}"
            case .flag, .number, .numberOrNone, .version: "\"\(name)\":{\(name)}"
            }
        }
        return "counterfoil simulator settings '{\(members.joined(separator: ","))}'"
    }
}

extension SimulatorPanel {
    /// Returns the settings page of an environment.
    func settings(_ request: PanelRequest) -> PanelContent {
        let settings = simulator.settings(of: request.environment)
        let json = (try? JSONValue(encoding: settings)) ?? .null
        func form(_ id: String, _ title: String, _ isIncluded: (String) -> Bool) -> PageValue {
            let included = PanelSettings.fields.filter { isIncluded($0.name) }
            let fields = included.flatMap { name, label, kind -> [FormField] in
                let given = json[name].map(SignedText.text)
                let value = given ?? ""
                let field: FormField =
                    switch kind {
                    case .flag: .init(name, label, .choice([("true", "Yes"), ("false", "No")]), value: value)
                    case .numberOrNone(let numbers):
                        .init(name, label, .choice(Self.choice(of: numbers, or: value)), value: given ?? "null")
                    case .number: .init(name, label, .number, value: value, hint: Self.length(value))
                    case .text: .init(name, label, value: value, hint: "Empty for none")
                    case .version: .init(name, label, .choice([("2", "2"), ("1", "1")]), value: value)
                    case .choice(let names):
                        .init(
                            name, label,
                            .choice((names.contains(value) ? [] : [(value, value)]) + names.map { ($0, $0) }),
                            value: value)
                    }
                return [field, .hidden("has-" + name, "yes")]
            }
            let command = PanelSettings.command(isIncluded) + request.environmentOption
            return PanelForm(id, title, action: "settings", fields, button: "Save", command: command)
                .value(request, state)
        }
        return PanelContent(
            template: "settings", heading: "Settings",
            values: [
                "forms": .list([
                    form("notify", "Notifications") { $0.hasPrefix("notification") },
                    form("settings", "Behaviour") { !$0.hasPrefix("notification") },
                ])
            ],
            api: "GET {base}/\(request.environmentName)/settings",
            command: "counterfoil simulator settings" + request.environmentOption)
    }

    /// Returns the current length in words; nil if it would be in seconds, too.
    private static func length(_ seconds: String) -> String? {
        guard let words = Double(seconds)?.exactLengthInWords, !words.hasSuffix("second"), !words.hasSuffix("seconds")
        else { return nil }
        return "Now \(words)"
    }

    /// Returns the options: no number, the usual numbers, and the current value.
    private static func choice(of numbers: [Int], or value: String) -> [(value: String, title: String)] {
        let all = Set(numbers + [Int(value)].compactMap(\.self)).sorted().map { String($0) }
        return [(value: "null", title: "No limit")] + all.map { (value: $0, title: $0) }
    }
}
