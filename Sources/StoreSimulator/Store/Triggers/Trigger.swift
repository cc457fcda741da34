internal import ConfigurationReading
public import AppStoreModels

/// The notifications there are, and what is needed to cause one.
public enum Trigger {
    /// A type with one of its subtypes, or none.
    public typealias Pair = (type: NotificationTypeV2, subtype: NotificationSubtype?)

    /// Every pair that Apple sends, in the order of Apple's life cycle. There are no others.
    public static let pairs: [Pair] = NotificationKind.all.map { ($0.type, $0.subtype) }

    /// Whether the notification history can be asked for that. Without a subtype it is asked for a type, whichever subtypes
    /// that has.
    static func isFilter(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?) -> Bool {
        pairs.contains { $0.type == type && (subtype == nil || $0.subtype == subtype) }
    }

    /// Whether Apple sends that type with that subtype.
    public static func isPair(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?) -> Bool {
        NotificationKind.exactly(type, subtype) != nil
    }
}

/// A request for one notification, whatever has to happen before it.
///
/// Without a customer, or with a new one, what leads to the notification is made up in the past. A customer who exists is
/// taken as found: what happens, happens to what the customer has.
public struct TriggerRequest: Sendable, Hashable, Codable {
    /// The type.
    public var notificationType: NotificationTypeV2
    /// The subtype, if the type is asked for with one.
    public var subtype: NotificationSubtype?
    /// The product; for a change of plan the new one. The first that fits if left out.
    public var product: String?
    /// Whom it is about; a new customer if left out.
    public var customer: String?
    /// Other values for fields of this one notification, by path: `transaction.price`, `renewalInfo.autoRenewStatus`,
    /// `data.status`, `notification.version`. `null` removes the field.
    public var overrides: [String: JSONValue]

    /// A request.
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

    /// Reads a request. All but the type may be left out.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        notificationType = try container.decode(NotificationTypeV2.self, forKey: .notificationType)
        subtype = try container.decodeIfPresent(NotificationSubtype.self, forKey: .subtype)
        product = try container.decodeIfPresent(String.self, forKey: .product)
        customer = try container.decodeIfPresent(String.self, forKey: .customer)
        overrides = try container.decodeIfPresent([String: JSONValue].self, forKey: .overrides) ?? [:]
    }

    /// `TYPE.SUBTYPE`, or the type alone.
    var name: String { NotificationKind.name(notificationType, subtype) }

    /// What may be meant by a name that there is not: one like it, or the type with one of its subtypes.
    private var advice: String {
        let kinds = NotificationKind.all
        if let near = Spelling.nearest(to: name, among: kinds.map(\.name)) { return "; did you mean \(quoted(near))?" }
        let names = kinds.filter { $0.type == notificationType }.map { quoted($0.name) }
        guard names.isEmpty else { return "; did you mean \(names.joined(separator: " or "))?" }
        return "; counterfoil simulator trigger --list lists them"
    }

    func check() throws(StoreError) {
        guard Trigger.isPair(notificationType, subtype) else {
            throw StoreError(.invalidArgument, "there is no notification \(name)\(advice)")
        }
        guard overrides.count <= 100 else { throw StoreError(.invalidArgument, "up to 100 fields can be overridden") }
        for path in overrides.keys.sorted() {
            let parts = path.split(separator: ".", omittingEmptySubsequences: false)
            guard path.utf8.count <= 200, parts.count >= 2, !parts.contains("") else {
                throw StoreError(.invalidArgument, "\(path.debugDescription) is no path such as transaction.price")
            }
        }
    }
}

extension NotificationRecord {
    /// What a path of an override can begin with, as far as this notification has it.
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
