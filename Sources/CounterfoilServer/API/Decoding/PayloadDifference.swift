internal import AppStoreServer
internal import Basics
internal import Foundation
internal import Ledger

/// A member, by Apple's name, whose values differ between two payloads of the same kind.
struct PayloadDifference: Hashable {
    var member, kept, shown: String

    /// The nested signed texts of a notification. Their signatures always differ.
    static let signedTexts: Set<String> = [
        "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
    ]

    /// Returns all differences, sorted by name; none if one of the payloads is not a JSON object.
    static func between(_ kept: [UInt8]?, _ shown: [UInt8]?) -> [PayloadDifference] {
        guard let kept = kept.map({ members(APIValue(json: Data($0))) }), !kept.isEmpty,
            let shown = shown.map({ members(APIValue(json: Data($0))) }), !shown.isEmpty
        else { return [] }
        return Set(kept.keys).union(shown.keys).sorted().compactMap { name in
            let pair = (text(kept[name], name), text(shown[name], name))
            return pair.0 == pair.1 ? nil : PayloadDifference(member: name, kept: pair.0, shown: pair.1)
        }
    }

    /// Returns the members by name. Members of a nested object have the names of both, joined by a dot.
    private static func members(_ payload: APIValue) -> [String: APIValue] {
        let pairs = payload.members.flatMap { name, value -> [(String, APIValue)] in
            guard case .object = value else { return [(name, value)] }
            return value.members.map { ("\(name).\($0.0)", $0.1) }
        }
        return Dictionary(pairs.filter { !signedTexts.contains(String($0.0.split(separator: ".").last ?? "")) }) {
            first, _ in first
        }
    }

    private static func text(_ value: APIValue?, _ name: String) -> String {
        switch value {
        case nil, .nothing: "none"
        case .number(let number) where name.lowercased().hasSuffix("date"):
            // The number may be outside of the range of dates.
            InstantText.shortText(Date(milliseconds: number).milliseconds)
        case let value?: value.text ?? value.pretty
        }
    }
}

/// Finds the ledger's newest signed text about the subject of a verdict.
enum NewestTextLookup {
    /// Returns the payload of the newest stored text about the same transaction, or the same subscription's renewal.
    /// All stored texts were verified on arrival.
    static func payload(
        like verdict: DecodeVerdict, about original: String, in scope: Int64, _ storage: any DecodeRoutes.Storage
    ) async throws -> [UInt8]? {
        let (member, name): (String, String)
        switch verdict.kind {
        case "transaction": (member, name) = ("signedTransactionInfo", "transactionId")
        case "renewal_info": (member, name) = ("signedRenewalInfo", "originalTransactionId")
        default: return nil
        }
        let isRenewal = verdict.kind == "renewal_info"
        let transactions = isRenewal ? [] : Set([verdict.subject.transactionID].compactMap(\.self))
        let wanted = FactSelection(original, transactions: transactions, renewal: isRenewal)
        return try await storage.sources(of: [wanted], notifications: true, in: scope)
            .compactMap { text(of: $0.source, member) }
            .compactMap { CompactJWS.payload(of: $0) }
            .map { ($0, APIValue(json: Data($0))) }
            .filter { $0.1[name].text == verdict.subject.transactionID }
            .max { ($0.1["signedDate"].number ?? 0) < ($1.1["signedDate"].number ?? 0) }?.0
    }

    private static func text(of source: StoredSource, _ member: String) -> String? {
        switch source {
        case .signedFact(let kept): kept.text
        case .notification(let kept, _):
            CompactJWS.payload(of: kept.text).flatMap { APIValue(json: Data($0))["data"][member].text }
        }
    }
}
