import AppStoreModels
import Foundation
import FuzzSupport
import StoreSimulator
import TestSupport

/// Reads a catalogue in YAML or in Xcode's format. An accepted catalogue must be valid and usable by a store.
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
    Property.require(attempt(body) == result, "\(format): a file is read differently the second time")
    switch result {
    case .failure(let error):
        Property.require(!error.problems.isEmpty, "\(format): a file is refused without a reason")
    case .success(let catalogue):
        Property.success("\(format): an accepted catalogue is valid") { try catalogue.validate() }
        sellProducts(of: catalogue)
    }
}

private func attempt(_ body: () throws(CatalogueError) -> Catalogue) -> Result<Catalogue, CatalogueError> {
    do throws(CatalogueError) { return .success(try body()) } catch { return .failure(error) }
}

/// Sells up to four products, each with up to three offers, and runs the next three events of the store.
private func sellProducts(of catalogue: Catalogue) {
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
        guard let next = store.schedule.next else { break }
        now = next
        store.run(until: now)
    }
    let wrong = invariantViolations(of: store, at: now.wholeMilliseconds)
    Property.require(wrong.isEmpty, "a store with this catalogue is inconsistent: \(wrong.joined(separator: "; "))")
}
