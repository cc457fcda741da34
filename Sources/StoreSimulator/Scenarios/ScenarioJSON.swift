internal import ConfigurationReading
internal import Foundation

// From the text of a file to the JSON that commands, settings and faults are decoded from.

extension ConfigurationValue {
    /// The same as JSON. YAML's plain words have no type here, so their looks decide, except where only text can be.
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

    /// The members that are text even if they look like a number.
    private static let texts: Set<String> = [
        "customer", "member", "product", "offer", "storefront", "storefronts", "subscription", "transaction", "note",
        "token", "group", "target", "version", "SKU", "taxCode", "displayName", "description", "data", "firstVersion",
    ]

    /// The value at a path of members, or the nearest thing around it.
    func member(_ path: [String]) -> ConfigurationValue {
        guard let first = path.first, case .mapping(let members) = content, let next = members[first] else {
            return self
        }
        return next.member(Array(path.dropFirst()))
    }

    /// The value in one line, as a report shows it.
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
    /// These settings with some of them changed.
    func merging(_ changes: JSONValue) throws -> StoreSettings {
        guard case .object(let changes) = changes else {
            throw ControlFailure(400, "invalid_request", "is no mapping of settings")
        }
        let own = try JSONDecoder().decode(JSONValue.self, from: Data(ControlJSON.encode(self)))
        guard case .object(var members) = own else { return self }
        members.merge(changes) { $1 }
        // A form has no other word for none.
        if members["notificationURL"] == .string("") { members["notificationURL"] = .null }
        let merged = try ControlJSON.decode(
            StoreSettings.self, from: Data(ControlJSON.encode(JSONValue.object(members))))
        try merged.check()
        return merged
    }
}
