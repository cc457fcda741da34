extension Storefront {
    /// The storefronts whose code suffices in a catalogue: about fifty of the largest, with their currencies of 2026.
    public static let known: [Self] = [.usa] + others.map { Self(code: $0.code, id: $0.id, currency: $0.currency) }

    private static let others: [(code: String, id: String, currency: String)] = [
        ("ARE", "143481", "AED"), ("AUS", "143460", "AUD"), ("AUT", "143445", "EUR"), ("BEL", "143446", "EUR"),
        ("BRA", "143503", "BRL"), ("CAN", "143455", "CAD"), ("CHE", "143459", "CHF"), ("CHL", "143483", "CLP"),
        ("CHN", "143465", "CNY"), ("COL", "143501", "COP"), ("CZE", "143489", "CZK"), ("DEU", "143443", "EUR"),
        ("DNK", "143458", "DKK"), ("EGY", "143516", "EGP"), ("ESP", "143454", "EUR"), ("FIN", "143447", "EUR"),
        ("FRA", "143442", "EUR"), ("GBR", "143444", "GBP"), ("GRC", "143448", "EUR"), ("HKG", "143463", "HKD"),
        ("HUN", "143482", "HUF"), ("IDN", "143476", "IDR"), ("IND", "143467", "INR"), ("IRL", "143449", "EUR"),
        ("ISR", "143491", "ILS"), ("ITA", "143450", "EUR"), ("JPN", "143462", "JPY"), ("KOR", "143466", "KRW"),
        ("LUX", "143451", "EUR"), ("MEX", "143468", "MXN"), ("MYS", "143473", "MYR"), ("NLD", "143452", "EUR"),
        ("NOR", "143457", "NOK"), ("NZL", "143461", "NZD"), ("PER", "143507", "PEN"), ("PHL", "143474", "PHP"),
        ("POL", "143478", "PLN"), ("PRT", "143453", "EUR"), ("QAT", "143498", "QAR"), ("ROU", "143487", "RON"),
        ("SAU", "143479", "SAR"), ("SGP", "143464", "SGD"), ("SWE", "143456", "SEK"), ("THA", "143475", "THB"),
        ("TUR", "143480", "TRY"), ("TWN", "143470", "TWD"), ("VNM", "143471", "VND"), ("ZAF", "143472", "ZAR"),
    ]

    /// Returns the known storefront with an ISO 3166-1 alpha-3 code.
    public static func known(_ code: String) -> Storefront? { known.first { $0.code == code } }
}
