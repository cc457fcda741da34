extension Catalogue {
    /// Returns the product identifier for a name. The name is the whole identifier or its end, such as
    /// `premium.monthly` for `com.example.premium.monthly`. Returns nil unless exactly one product matches.
    package func identifier(of name: String) -> String? {
        if product(name) != nil { return name }
        let fitting = products.filter { $0.id.hasSuffix("." + name) }
        return fitting.count == 1 ? fitting.first?.id : nil
    }

    /// Returns a command or a request with short product names replaced by identifiers.
    func resolvingNames(in json: JSONValue) -> JSONValue {
        guard case .object(let members) = json else { return json }
        return .object(
            Dictionary(
                uniqueKeysWithValues: members.map { key, value in
                    guard ["product", "subscription", "transaction"].contains(key), case .string(let name) = value
                    else {
                        // Apple's formats stay unchanged.
                        return (key, ["request", "overrides"].contains(key) ? value : resolvingNames(in: value))
                    }
                    return (key, .string(identifier(of: name) ?? name))
                }))
    }
}
