internal import Foundation

extension Catalogue {
    /// No format allows more; the readers of the formats are stricter.
    private static let maximumFileBytes = 4 << 20

    /// Reads a catalogue from a file: Xcode's `.storekit`, or ours, `.yaml` or `.yml`.
    ///
    /// - Returns: The catalogue, and what is of no effect, a sentence each: what was not understood, and what else a file of
    ///   Xcode tells Xcode to do. ``StoreKitConfiguration`` has that as values.
    /// - Throws: ``CatalogueError`` if the file cannot be read, has another extension or says something wrong.
    public static func read(path: String) throws(CatalogueError) -> (catalogue: Catalogue, notes: [String]) {
        let `extension` = URL(filePath: path).pathExtension.lowercased()
        switch `extension` {
        case "storekit":
            let configuration = try StoreKitConfiguration(contents(of: path))
            return (configuration.catalogue, configuration.notes + configuration.unused)
        case "yaml", "yml":
            guard let text = String(validating: try contents(of: path), as: UTF8.self) else {
                throw CatalogueError(problems: [.init(message: "is not UTF-8")])
            }
            return (try Catalogue(yaml: text), [])
        default:
            throw CatalogueError(
                problems: [
                    .init(
                        message:
                            "a catalogue is a file of Xcode's, .storekit, or of ours, .yaml, but not .\(`extension`)")
                ])
        }
    }

    /// The content of a file, never more of it than a catalogue can have: a device, say, has no end.
    private static func contents(of path: String) throws(CatalogueError) -> Data {
        let data: Data?
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            data = try file.read(upToCount: maximumFileBytes + 1)
        } catch {
            throw CatalogueError(problems: [.init(message: "cannot be read: \(path)")])
        }
        // Nil is the end of the file before its first byte.
        let content = data ?? Data()
        guard content.count <= maximumFileBytes else {
            throw CatalogueError(problems: [.init(message: "larger than 4 MiB")])
        }
        return content
    }
}

extension StoreKitConfiguration {
    /// What is not part of a catalogue, and so ignored by who reads only that, with what does the same here.
    fileprivate var unused: [String] {
        var unused: [String] = []
        if hasOfferKey {
            unused.append("subscriptionOffersKeyPair: is ignored; offers are signed with the simulator's key")
        }
        if let rate = settings.renewalRate, rate != .realTime {
            unused.append("settings._timeRate: is ignored; the clock accelerated:\(rate) renews as fast")
        }
        if settings.isBillingGracePeriodEnabled {
            unused.append("settings._billingGracePeriodEnabled: is ignored; the setting gracePeriod does it")
        }
        if settings.areRenewalBillingIssuesEnabled {
            unused.append("settings._renewalBillingIssuesEnabled: is ignored; failBilling does it for a customer")
        }
        if settings.areBillingIssuesEnabled {
            unused.append("settings._billingIssuesEnabled: is ignored; planPurchase does it for a device")
        }
        if settings.isAskToBuyEnabled {
            unused.append("settings._askToBuyEnabled: is ignored; askToBuy does it for a customer")
        }
        return unused
    }
}
