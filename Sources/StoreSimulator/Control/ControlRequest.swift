internal import AppStoreModels
internal import ConfigurationReading
internal import Foundation

/// A parsed request to the control API.
struct ControlRequest: Sendable {
    var path: [String: String]
    var query: [String: String]
    var body: Data

    /// The environment in the path: `production` or `sandbox`.
    var environment: AppStoreEnvironment {
        get throws(ControlFailure) {
            guard let environment = AppStoreEnvironment.named(path["environment"] ?? "") else {
                throw ControlFailure(404, "unknown_environment", "the environments are production and sandbox")
            }
            return environment
        }
    }

    func parameter(_ name: String) throws(ControlFailure) -> String {
        guard let value = path[name] else {
            throw ControlFailure(invalid: "\(name) in the path is not percent-encoded UTF-8", param: name)
        }
        return value
    }

    /// Returns a number from the query; nil if it is missing. `form` is the message about other values.
    func number<Number: LosslessStringConvertible & Comparable>(
        _ name: String, in range: ClosedRange<Number>, _ form: String? = nil
    ) throws(ControlFailure) -> Number? {
        guard let text = query[name] else { return nil }
        guard let number = Number(text), range.contains(number) else {
            let message = form ?? "\(name) is \(range.lowerBound) to \(range.upperBound)"
            throw ControlFailure(invalid: message, param: name)
        }
        return number
    }

    func decode<Value: Codable>(_ type: Value.Type) throws(ControlFailure) -> Value {
        try ControlJSON.decode(type, from: body)
    }

    /// Decodes the body after replacing short product names (the end of an identifier, as on the command line and in
    /// scenarios) with product identifiers.
    func decodeResolvingProducts<Value: Codable & Sendable>(
        _ type: Value.Type, _ simulator: Simulator
    ) throws -> Value {
        let json = try decode(JSONValue.self)
        let resolved = simulator.core.read(try environment) { store, _ in store.catalogue.resolvingNames(in: json) }
        return try ControlJSON.decode(type, from: resolved)
    }

    /// Returns the requested page of `items`, whose keys ascend. A page begins after the last key of the page before:
    /// an index would shift when items are added or removed between two requests.
    func page<Item, Key: Comparable & LosslessStringConvertible>(
        _ items: [Item], by key: (Item) -> Key
    ) throws(ControlFailure) -> ControlList<Item> {
        let limit = try number("limit", in: 1...1000) ?? 100
        var rest = items[...]
        if let page = query["page"] {
            guard !page.isEmpty, let last = Key(page) else {
                throw ControlFailure(invalid: "page is a value of next_page", param: "page")
            }
            rest = rest.drop { key($0) <= last }
        }
        let page = Array(rest.prefix(limit))
        return ControlList(items: page, nextPage: rest.count > limit ? page.last.map { key($0).description } : nil)
    }
}

extension JSONValue {
    /// Throws if the value is an object without exactly one member, or its name is not in `names`; suggests the most
    /// similar name. `path` is the location of the value in the body. Values other than objects are not checked.
    func checkName(of kind: String, at path: String? = nil, among names: [String], _ advice: String)
        throws(ControlFailure)
    {
        guard case .object(let members) = self else { return }
        if let name = members.keys.sorted().first(where: { !names.contains($0) }) {
            throw ControlFailure(
                invalid: SpellingSuggestion.message(unknown: name, of: kind, among: names, or: advice),
                param: [path, name].compactMap { $0 }.joined(separator: "."))
        }
        guard members.count == 1 else {
            throw ControlFailure(invalid: "one \(kind) is expected, not \(members.count); \(advice)", param: path)
        }
    }
}
