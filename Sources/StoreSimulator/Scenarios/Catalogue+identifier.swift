extension Catalogue {
    /// The identifier of the product that is named by it or by the end of it, such as `premium.monthly` for
    /// `com.example.premium.monthly`; nil unless exactly one product is.
    package func identifier(of name: String) -> String? {
        if product(name) != nil { return name }
        let fitting = products.filter { $0.id.hasSuffix("." + name) }
        return fitting.count == 1 ? fitting.first?.id : nil
    }
}
