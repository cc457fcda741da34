extension Catalogue {
    /// A catalogue with a product of every type. The simulator uses it by default.
    ///
    /// - `com.example.premium.monthly`, a month for 9.99, family-shareable: a free week for new customers, the
    ///   promotional offer `save20`, the offer code `WELCOME`, the win-back offer `comeback`.
    /// - `com.example.premium.yearly`, of the same level: changing to it is a crossgrade with a different period.
    /// - `com.example.premium.commitment`, a year that can be paid monthly.
    /// - `com.example.premium.weekly`, also of the same level.
    /// - `com.example.plus.monthly`, of the same level and period: a crossgrade that takes effect at once.
    /// - `com.example.basic.monthly`, of the level below.
    /// - `com.example.news.weekly` and `com.example.news.monthly`, of another group; the offer `AUTUMN` of the latter
    ///   has two codes, `FALL-1` and `FALL-2`, and can be redeemed twice.
    /// - `com.example.coins.100`, consumable, with the offer code `COINS`; `com.example.unlock`, non-consumable and
    ///   family-shareable; `com.example.season.pass`, non-renewing.
    /// - `com.example.advanced.subscription` and `com.example.advanced.onetime`, generic products of Advanced Commerce.
    public static let example: Catalogue = {
        // Tests require that the file is valid.
        do { return try Catalogue(yaml: exampleYAML) } catch { return Catalogue(products: []) }
    }()
}
