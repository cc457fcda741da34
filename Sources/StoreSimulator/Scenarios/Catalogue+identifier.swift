extension Catalogue {
    /// The identifier of the product that is named by it or by the end of it, such as `premium.monthly` for
    /// `com.example.premium.monthly`; nil unless exactly one product is.
    package func identifier(of name: String) -> String? {
        if product(name) != nil { return name }
        let fitting = products.filter { $0.id.hasSuffix("." + name) }
        return fitting.count == 1 ? fitting.first?.id : nil
    }
}

extension Catalogue {
    /// A command or a request with identifiers in the place of short names.
    func resolvingNames(in json: JSONValue) -> JSONValue {
        guard case .object(let members) = json else { return json }
        return .object(
            Dictionary(
                uniqueKeysWithValues: members.map { key, value in
                    guard ["product", "subscription", "transaction"].contains(key), case .string(let name) = value
                    else {
                        // What is Apple's is left as it is.
                        return (key, ["request", "overrides"].contains(key) ? value : resolvingNames(in: value))
                    }
                    return (key, .string(identifier(of: name) ?? name))
                }))
    }
}
