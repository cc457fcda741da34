internal import Foundation

extension Catalogue {
    /// The maximum size of a file. The parsers of the formats have the same or lower limits.
    private static let maximumFileBytes = 4 << 20

    /// Reads a catalogue from a file: `.storekit` of Xcode, or `.yaml` or `.yml`.
    ///
    /// - Returns: The catalogue, and one sentence for each part of the file that has no effect: parts that were not
    ///   understood, and settings of Xcode. ``StoreKitConfiguration`` contains these settings as values.
    /// - Throws: ``CatalogueError`` if the file cannot be read, has another extension or is invalid.
    public static func read(path: String) throws(CatalogueError) -> (catalogue: Catalogue, warnings: [String]) {
        let `extension` = URL(filePath: path).pathExtension.lowercased()
        switch `extension` {
        case "storekit":
            let configuration = try StoreKitConfiguration(contents(of: path))
            return (configuration.catalogue, configuration.warnings + configuration.unused)
        case "yaml", "yml":
            guard let text = String(validating: try contents(of: path), as: UTF8.self) else {
                throw CatalogueError("is not UTF-8")
            }
            return (try Catalogue(yaml: text), [])
        default:
            throw CatalogueError("a catalogue file has the extension .storekit (Xcode) or .yaml, not .\(`extension`)")
        }
    }

    /// Reads a file. Reads at most the maximum size, because a device file, for example, can be endless.
    private static func contents(of path: String) throws(CatalogueError) -> Data {
        let data: Data?
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            data = try file.read(upToCount: maximumFileBytes + 1)
        } catch {
            throw CatalogueError("cannot be read: \(path)")
        }
        // Nil means that the file is empty.
        let content = data ?? Data()
        guard content.count <= maximumFileBytes else {
            throw CatalogueError("larger than 4 MiB")
        }
        return content
    }
}

extension StoreKitConfiguration {
    /// One sentence for each setting of Xcode that is not part of a catalogue, with its equivalent in the simulator.
    fileprivate var unused: [String] {
        var unused: [String] = []
        if hasOfferKey {
            unused.append("subscriptionOffersKeyPair: is ignored; offers are signed with the simulator's key")
        }
        if let rate = settings.renewalRate, rate != .realTime {
            unused.append("settings._timeRate: is ignored; the clock accelerated:\(rate) renews as fast")
        }
        if settings.isBillingGracePeriodEnabled {
            unused.append(
                "settings._billingGracePeriodEnabled: is ignored; gracePeriod of `simulator settings` does it")
        }
        if settings.areRenewalBillingIssuesEnabled {
            unused.append("settings._renewalBillingIssuesEnabled: is ignored; failBilling does it for a customer")
        }
        if settings.areBillingIssuesEnabled {
            unused.append("settings._billingIssuesEnabled: is ignored; setNextPurchaseResult does it for a device")
        }
        if settings.isAskToBuyEnabled {
            unused.append("settings._askToBuyEnabled: is ignored; askToBuy does it for a customer")
        }
        return unused
    }
}
