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
            unused.append("settings._timeRate: is ignored; --clock accelerated:\(rate) renews as fast")
        }
        func add(_ setting: String, _ command: String, _ customer: String = "") {
            unused.append("settings.\(setting): is ignored; `counterfoil simulator \(command)` does it\(customer)")
        }
        if settings.isBillingGracePeriodEnabled {
            add("_billingGracePeriodEnabled", #"settings '{"gracePeriod":"sixteenDays"}'"#)
        }
        if settings.areRenewalBillingIssuesEnabled {
            add("_renewalBillingIssuesEnabled", "fail-billing anna", " for anna")
        }
        if settings.areBillingIssuesEnabled {
            let members = #"{"customer":"anna","device":"phone","result":"interrupted"}"#
            add("_billingIssuesEnabled", "do '{\"setNextPurchaseResult\":\(members)}'", " once on anna's phone")
        }
        if settings.isAskToBuyEnabled {
            add("_askToBuyEnabled", #"do '{"askToBuy":{"customer":"anna"}}'"#, " for anna")
        }
        return unused
    }
}
