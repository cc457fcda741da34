internal import ConfigurationReading
public import Foundation

/// What a StoreKit configuration file of Xcode (`.storekit`) says.
///
/// Files of the formats 1 to 5 are read. What the simulator has no use for, such as translations, is passed over; what
/// nobody here has ever seen is told in ``notes`` and does no harm.
public struct StoreKitConfiguration: Sendable, Hashable {
    /// What the app sells. Its only storefront is that of the settings.
    public var catalogue: Catalogue

    /// How Xcode was told to behave.
    public var settings: Settings

    /// Whether the file has a key that signs promotional offers. The key itself is not read.
    public var hasOfferKey: Bool

    /// The major number of the format; nil if the file does not tell.
    public var formatVersion: Int?

    /// What was not understood and does not matter, a sentence each.
    public var notes: [String]

    /// How Xcode was told to behave.
    public struct Settings: Sendable, Hashable {
        /// How fast subscriptions renew; nil if the file does not tell, or has a number that is not known.
        public var renewalRate: RenewalRate?
        /// The ISO 3166-1 alpha-3 code of the storefront, such as `USA`; nil if the file does not tell.
        public var storefront: String?
        /// Whether subscriptions stay usable for a while when their renewal fails.
        public var isBillingGracePeriodEnabled = false
        /// Whether renewals fail for lack of money.
        public var areRenewalBillingIssuesEnabled = false
        /// Whether purchases are interrupted.
        public var areBillingIssuesEnabled = false
        /// Whether purchases wait for a parent's consent.
        public var isAskToBuyEnabled = false

        /// What Xcode does by default.
        public init() {}
    }

    /// Reads a file.
    ///
    /// - Throws: ``CatalogueError`` if it is no JSON, larger than 4 MiB, or lacks something of a product without which
    ///   it cannot be sold: identifier, type, price, period, group.
    public init(_ file: Data) throws(CatalogueError) {
        let root = try ConfigurationValue(json: file)
        let findings = Findings(unknownKeys: .areNotes)
        var reader = StoreKitReader(findings: findings)
        if var section = Section(root, path: "", findings: findings) { reader.read(&section) }
        findings.add(CatalogueCheck(reader.catalogue, places: reader.places).problems)
        do { try findings.finish() } catch { throw CatalogueError(error) }
        catalogue = reader.catalogue
        settings = reader.settings
        hasOfferKey = reader.hasOfferKey
        formatVersion = reader.formatVersion
        notes = findings.notes
    }
}

extension Catalogue {
    /// Reads the products of a StoreKit configuration file of Xcode. ``StoreKitConfiguration`` has the rest of it.
    ///
    /// - Throws: ``CatalogueError`` as ``StoreKitConfiguration/init(_:)`` does.
    public init(storeKitConfiguration file: Data) throws(CatalogueError) {
        self = try StoreKitConfiguration(file).catalogue
    }
}
