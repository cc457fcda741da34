internal import ConfigurationReading
internal import Foundation

// Converts YAML values to the JSON from which commands, settings and faults are decoded.

extension ConfigurationValue {
    /// Returns the value as JSON. Plain YAML scalars have no type here, so their form decides it, except for members
    /// that are always text.
    func json(isText: Bool = false) -> JSONValue {
        switch content {
        case .nothing: .null
        case .text(let text): isText ? .string(text) : Self.typed(text)
        case .list(let items): .array(items.map { $0.json(isText: isText) })
        case .mapping(let members):
            .object(Dictionary(uniqueKeysWithValues: members.map { ($0, $1.json(isText: Self.texts.contains($0))) }))
        }
    }

    private static func typed(_ text: String) -> JSONValue {
        if text == "true" || text == "false" { return .bool(text == "true") }
        if let number = Int64(text) { return .integer(number) }
        if let number = Double(text), number.isFinite, text.first.map({ $0.isNumber || $0 == "-" }) == true {
            return .number(number)
        }
        return .string(text)
    }

    /// The members that are text even if they have the form of a number.
    private static let texts: Set<String> = [
        "customer", "member", "product", "offer", "storefront", "storefronts", "subscription", "transaction", "note",
        "token", "group", "target", "version", "SKU", "taxCode", "displayName", "description", "data", "firstVersion",
    ]

    /// Returns the value at a path of members, or the innermost value on the path that exists.
    func member(_ path: [String]) -> ConfigurationValue {
        guard let first = path.first, case .mapping(let members) = content, let next = members[first] else {
            return self
        }
        return next.member(Array(path.dropFirst()))
    }

    /// The value in one line, for reports.
    var oneLine: String {
        switch content {
        case .nothing: "null"
        case .text(let text): text
        case .list(let items): "[" + items.map(\.oneLine).joined(separator: ", ") + "]"
        case .mapping(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\($0): \($1.oneLine)" }.joined(separator: ", ") + "}"
        }
    }
}

extension StoreSettings {
    /// Returns the settings with some of them changed.
    func merging(_ changes: JSONValue) throws -> StoreSettings {
        guard case .object(let changes) = changes else {
            throw ControlFailure(invalid: "an object of settings is expected")
        }
        guard case .object(var members) = try JSONValue(encoding: self) else { return self }
        members.merge(changes) { $1 }
        // HTML forms send an empty string for no URL.
        if members["notificationURL"] == .string("") { members["notificationURL"] = .null }
        let merged = try ControlJSON.decode(StoreSettings.self, from: .object(members))
        // The settings of a configuration, which may be out of range, do not prevent other changes.
        try merged.check(Set(changes.keys))
        return merged
    }
}
