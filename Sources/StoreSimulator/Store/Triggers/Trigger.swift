public import AppStoreModels
internal import Basics
internal import ConfigurationReading

/// The notification types that can be triggered.
public enum Trigger {
    /// A notification type with one of its subtypes, or none.
    public typealias Kind = (type: NotificationTypeV2, subtype: NotificationSubtype?)

    /// All types and subtypes that Apple sends, in the order of Apple's life cycle.
    public static let kinds: [Kind] = NotificationKind.all.map { ($0.type, $0.subtype) }

    /// Whether the notification history can be filtered by this type and subtype. Without a subtype, the filter matches
    /// the type with any of its subtypes.
    static func isValidFilter(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?) -> Bool {
        kinds.contains { $0.type == type && (subtype == nil || $0.subtype == subtype) }
    }

    /// Whether Apple sends this type with this subtype.
    public static func isSupported(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?) -> Bool {
        NotificationKind.exactly(type, subtype) != nil
    }
}

/// A request to cause one notification, including the events that must precede it.
///
/// Without a customer, or for a new one, the preceding events are created in the past. For an existing customer, the
/// trigger acts on the customer's current purchases.
public struct TriggerRequest: Sendable, Hashable, Codable {
    /// The notification type.
    public var notificationType: NotificationTypeV2
    /// The subtype, if the type has one.
    public var subtype: NotificationSubtype?
    /// The product; for a change of plan, the new one. By default the first suitable product.
    public var product: String?
    /// The customer; a new one by default.
    public var customer: String?
    /// Values that replace fields of this notification, by path: `transaction.price`, `renewalInfo.autoRenewStatus`,
    /// `data.status`, `notification.version`. `null` removes the field.
    public var overrides: [String: JSONValue]

    /// Creates a request.
    public init(
        _ notificationType: NotificationTypeV2, _ subtype: NotificationSubtype? = nil, product: String? = nil,
        customer: String? = nil, overrides: [String: JSONValue] = [:]
    ) {
        self.notificationType = notificationType
        self.subtype = subtype
        self.product = product
        self.customer = customer
        self.overrides = overrides
    }

    /// Decodes a request. All members except the type are optional. Without a subtype, the type may be
    /// `TYPE.SUBTYPE`, as notifications are named elsewhere.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decode(String.self, forKey: .notificationType)
        if let given = try container.decodeIfPresent(NotificationSubtype.self, forKey: .subtype) {
            (notificationType, subtype) = (NotificationTypeV2(rawValue: name), given)
        } else {
            notificationType = NotificationTypeV2(rawValue: String(name.prefix { $0 != "." }))
            let rest = name.drop { $0 != "." }
            subtype = rest.isEmpty ? nil : NotificationSubtype(rawValue: String(rest.dropFirst()))
        }
        product = try container.decodeIfPresent(String.self, forKey: .product)
        customer = try container.decodeIfPresent(String.self, forKey: .customer)
        overrides = try container.decodeIfPresent([String: JSONValue].self, forKey: .overrides) ?? [:]
    }

    /// `TYPE.SUBTYPE`, or the type alone.
    var name: String { NotificationKind.name(notificationType, subtype) }

    /// Suggestions for an unknown name: a similar name, or a similar type with each of its subtypes.
    private var suggestions: String {
        let kinds = NotificationKind.all
        if let near = SpellingSuggestion.nearest(to: name, among: kinds.map(\.name)) {
            return "; did you mean \(quoted(near))?"
        }
        let type = SpellingSuggestion.nearest(
            to: notificationType.rawValue, among: Set(kinds.map(\.type.rawValue)))
        let names = kinds.filter { $0.type.rawValue == type }.map { quoted($0.name) }
        guard names.isEmpty else { return "; did you mean \(names.joined(separator: " or "))?" }
        return "; counterfoil simulator trigger --list lists them"
    }

    func check() throws(StoreError) {
        guard Trigger.isSupported(notificationType, subtype) else {
            throw StoreError(.invalidArgument, "there is no notification \(name)\(suggestions)")
        }
        guard overrides.count <= 100 else { throw StoreError(.invalidArgument, "up to 100 fields can be overridden") }
        for path in overrides.keys.sorted() {
            let parts = path.split(separator: ".", omittingEmptySubsequences: false)
            guard path.utf8.count <= 200, parts.count >= 2, !parts.contains("") else {
                throw StoreError(.invalidArgument, "\(path.quoted) is not a path such as transaction.price")
            }
        }
    }
}

extension TriggerRequest {
    /// Returns the members of the JSON for a name such as `DID_RENEW.BILLING_RECOVERY`.
    package static func members(named name: String) -> [String: JSONValue] {
        let parts = name.split(separator: ".", maxSplits: 1).map { JSONValue.string(String($0)) }
        var members = ["notificationType": parts.first ?? .string("")]
        if parts.count > 1 { members["subtype"] = parts[1] }
        return members
    }

    /// Parses an override such as `transaction.price=1990`; nil without a path. A value that is not JSON is a string.
    package static func parseOverride(_ text: String) -> (path: String, value: JSONValue)? {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
        let value = String(text[text.index(after: equals)...])
        return (String(text[..<equals]), (try? JSONValue(json: value.utf8)) ?? .string(value))
    }
}

extension NotificationRecord {
    /// The first components of override paths that this notification supports.
    var overridableParts: [String] {
        switch content {
        case .purchase(let purchase):
            ["notification", "data", "transaction"] + (purchase.renewalInfo == nil ? [] : ["renewalInfo"])
        case .summary: ["notification", "summary"]
        case .externalPurchaseToken: ["notification", "externalPurchaseToken"]
        case .appTransaction: ["notification", "appData", "appTransaction"]
        case .test: ["notification", "data"]
        case .version1: []
        }
    }
}

extension String {
    /// The first component of an override path: the part of the notification that contains the field.
    var overridePart: String { String(prefix { $0 != "." }) }
}
