internal import AppStoreModels
internal import Foundation

// Snapshots contain many notifications, so their encoding is compact: default values are omitted, dates are whole
// milliseconds, and the fields of a purchase are members of the notification itself.

extension NotificationRecord: Codable {
    private enum Name: String, CodingKey {
        case uuid, type, subtype, date, signedDate, transaction, renewalInfo, status, consumptionRequestReason, content
        case customer, testToken, overrides, attempts, isDelivered, due, wasPostponed, bundleVersion, signatures
        case appAppleID = "appAppleId"
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Name.self)
        try members.encode(uuid, forKey: .uuid)
        try members.encode(type.rawValue, forKey: .type)
        try members.encodeIfPresent(subtype?.rawValue, forKey: .subtype)
        try members.encode(date, forKey: .date)
        if signedDate != date { try members.encode(signedDate, forKey: .signedDate) }
        if case .purchase(let purchase) = content, purchase.signedDate == signedDate {
            try members.encode(purchase.$payload, forKey: .transaction)
            try members.encodeIfPresent(purchase.renewal, forKey: .renewalInfo)
            try members.encodeIfPresent(purchase.status, forKey: .status)
            try members.encodeIfPresent(purchase.consumptionRequestReason, forKey: .consumptionRequestReason)
        } else {
            try members.encode(content, forKey: .content)
        }
        try members.encodeIfPresent(customer, forKey: .customer)
        try members.encodeIfPresent(testToken, forKey: .testToken)
        if !overrides.isEmpty { try members.encode(overrides, forKey: .overrides) }
        if !attempts.isEmpty { try members.encode(attempts, forKey: .attempts) }
        if isDelivered { try members.encode(true, forKey: .isDelivered) }
        if let due { try members.encode(due, forKey: .due) }
        if wasPostponed { try members.encode(true, forKey: .wasPostponed) }
        try members.encodeIfPresent(appAppleID, forKey: .appAppleID)
        try members.encodeIfPresent(bundleVersion, forKey: .bundleVersion)
        try members.encodeIfPresent(signatures, forKey: .signatures)
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        let date = try members.date(.date)
        let signed = try members.contains(.signedDate) ? members.date(.signedDate) : date
        let uuid = try members.decode(String.self, forKey: .uuid)
        guard let id = UUID(uuidString: uuid) else {
            throw DecodingError.dataCorruptedError(forKey: .uuid, in: members, debugDescription: "not a UUID")
        }
        self.init(
            id: id, type: NotificationTypeV2(rawValue: try members.decode(String.self, forKey: .type)),
            subtype: try members.decodeIfPresent(String.self, forKey: .subtype).map {
                NotificationSubtype(rawValue: $0)
            },
            date: date, signedDate: signed, content: try Self.content(members, signed),
            customer: try members.decodeIfPresent(String.self, forKey: .customer),
            testToken: try members.decodeIfPresent(String.self, forKey: .testToken),
            overrides: try members.decodeIfPresent([String: JSONValue].self, forKey: .overrides) ?? [:],
            attempts: try members.decodeIfPresent([NotificationAttempt].self, forKey: .attempts) ?? [],
            isDelivered: try members.decodeIfPresent(Bool.self, forKey: .isDelivered) ?? false,
            due: try members.contains(.due) ? members.date(.due) : nil,
            wasPostponed: try members.decodeIfPresent(Bool.self, forKey: .wasPostponed) ?? false,
            appAppleID: try members.decodeIfPresent(Int64.self, forKey: .appAppleID),
            bundleVersion: try members.decodeIfPresent(String.self, forKey: .bundleVersion),
            signatures: try members.decodeIfPresent(Signatures.self, forKey: .signatures))
    }

    private static func content(_ members: KeyedDecodingContainer<Name>, _ signed: Date) throws -> Content {
        if let content = try members.decodeIfPresent(Content.self, forKey: .content) { return content }
        return .purchase(
            Purchase(
                try members.decode(Packed<JWSTransactionDecodedPayload>.self, forKey: .transaction),
                try members.decodeIfPresent(Packed<JWSRenewalInfoDecodedPayload>.self, forKey: .renewalInfo),
                signed: signed, try members.decodeIfPresent(SubscriptionStatus.self, forKey: .status),
                try members.decodeIfPresent(ConsumptionRequestReason.self, forKey: .consumptionRequestReason)))
    }
}

extension KeyedEncodingContainer {
    /// Encodes a date as whole milliseconds if that is exact, else as a fractional number of milliseconds.
    fileprivate mutating func encode(_ date: Date, forKey key: Key) throws {
        if let whole = date.wholeMillisecondsSince1970 {
            try encode(whole, forKey: key)
        } else {
            try encode(date.timeIntervalSince1970 * 1000, forKey: key)
        }
    }
}

extension KeyedDecodingContainer {
    fileprivate func date(_ key: Key) throws -> Date {
        let milliseconds = try decode(Double.self, forKey: key)
        return Int64(exactly: milliseconds).flatMap { Date(millisecondsSince1970: $0) }
            ?? Date(timeIntervalSince1970: milliseconds / 1000)
    }
}
