internal import ConfigurationReading
public import Foundation

/// The contents of a StoreKit configuration file of Xcode (`.storekit`).
///
/// The formats 1 to 5 are supported. Values that the simulator does not use, such as translations, are ignored. Unknown
/// values are ignored with a message in ``warnings``.
public struct StoreKitConfiguration: Sendable, Hashable {
    /// The catalogue. Its only storefront is the one in the settings.
    public var catalogue: Catalogue

    /// The settings for testing in Xcode.
    public var settings: Settings

    /// Whether the file contains a key that signs promotional offers. The key itself is not read.
    public var hasOfferKey: Bool

    /// The major version of the format; nil if it is missing.
    public var formatVersion: Int?

    /// One sentence for each ignored part that was not understood.
    public var warnings: [String]

    /// The settings for testing in Xcode.
    public struct Settings: Sendable, Hashable {
        /// How fast subscriptions renew; nil if the value is missing or unknown.
        public var renewalRate: RenewalRate?
        /// The ISO 3166-1 alpha-3 code of the storefront, such as `USA`; nil if it is missing.
        public var storefront: String?
        /// Whether subscriptions have a billing grace period.
        public var isBillingGracePeriodEnabled = false
        /// Whether renewals fail with billing issues.
        public var areRenewalBillingIssuesEnabled = false
        /// Whether purchases are interrupted.
        public var areBillingIssuesEnabled = false
        /// Whether purchases wait for approval (Ask to Buy).
        public var isAskToBuyEnabled = false

        /// Creates Xcode's default settings.
        public init() {}
    }

    /// Parses a file.
    ///
    /// - Throws: ``CatalogueError`` if the file is not JSON, repeats a member, is larger than 4 MiB, or lacks a required
    ///   value of a product: identifier, type, price, period, group.
    public init(_ file: Data) throws(CatalogueError) {
        let root = try ConfigurationValue(json: file)
        let diagnostics = ConfigurationDiagnostics(unknownKeys: .areNotes)
        var reader = StoreKitReader(diagnostics: diagnostics)
        if var section = Section(root, path: "", diagnostics: diagnostics) { reader.read(&section) }
        diagnostics.add(CatalogueCheck(reader.catalogue, sourcePaths: reader.sourcePaths).problems)
        do { try diagnostics.finish() } catch { throw CatalogueError(error) }
        catalogue = reader.catalogue
        settings = reader.settings
        hasOfferKey = reader.hasOfferKey
        formatVersion = reader.formatVersion
        warnings = diagnostics.notes
    }
}

extension Catalogue {
    /// Parses the products of a StoreKit configuration file of Xcode. ``StoreKitConfiguration`` has its other values.
    ///
    /// - Throws: ``CatalogueError`` as ``StoreKitConfiguration/init(_:)`` does.
    public init(storeKitConfiguration file: Data) throws(CatalogueError) {
        self = try StoreKitConfiguration(file).catalogue
    }
}
