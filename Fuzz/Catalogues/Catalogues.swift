import AppStoreModels
import Foundation
import FuzzSupport
import StoreSimulator
import TestSupport

/// A catalogue in our format, or in Xcode's: what is read can be relied on, and sold from.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCatalogues(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    let text = String(decoding: bytes, as: UTF8.self)
    read("YAML") { () throws(CatalogueError) in try Catalogue(yaml: text) }
    read("StoreKit") { () throws(CatalogueError) in try StoreKitConfiguration(Data(bytes)).catalogue }
    return 0
}

private func read(_ format: String, _ body: () throws(CatalogueError) -> Catalogue) {
    let result = attempt(body)
    Property.require(attempt(body) == result, "\(format): a file is read otherwise the second time")
    switch result {
    case .failure(let error):
        Property.require(!error.problems.isEmpty, "\(format): a file is refused for no reason")
    case .success(let catalogue):
        Property.success("\(format): what is read is valid") { try catalogue.validate() }
        sell(catalogue)
    }
}

private func attempt(_ body: () throws(CatalogueError) -> Catalogue) -> Result<Catalogue, CatalogueError> {
    do throws(CatalogueError) { return .success(try body()) } catch { return .failure(error) }
}

/// Sells some of it with every offer, and waits until the periods are over.
private func sell(_ catalogue: Catalogue) {
    var store = Store(
        environment: .production, app: SimulatedApp(), catalogue: catalogue, settings: .production, seed: 1)
    var now = present
    for (number, product) in catalogue.products.prefix(4).enumerated() {
        let offers = (product.subscription?.offers ?? product.offers).prefix(3).map { Optional($0.identifier ?? "") }
        for (index, offer) in ([nil] + offers).enumerated() {
            let customer = "customer-\(number)-\(index % 2)"
            _ = try? store.perform(
                .purchase(
                    customer: customer, product: product.id, quantity: index == 0 ? 10 : nil, offer: offer,
                    billingPlan: index == 1 ? .monthly : nil), at: now)
        }
    }
    for _ in 0..<3 {
        guard let next = store.next else { break }
        now = next
        store.run(until: now)
    }
    let wrong = unsoundness(of: store, at: now.wholeMilliseconds)
    Property.require(wrong.isEmpty, "a store that sells this is wrong: \(wrong.joined(separator: "; "))")
}
