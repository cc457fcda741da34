internal import Foundation
internal import Synchronization

extension StoreAuthority {
    /// Signs receipts, under a root of its own. Made when it is first asked for, and that takes seconds: whoever asks
    /// meanwhile waits.
    package func receiptAuthority() throws(StoreAuthorityError) -> ReceiptAuthority {
        try receiptsInTheMaking.withLock { _ throws(StoreAuthorityError) in
            if let made = receiptAuthorityIfMade { return made }
            let file = directory?.appending(path: "receipt-authority.json")
            var saved: ReceiptAuthority?
            if let file { saved = try SecretFile.decode(SavedReceiptAuthority.self, from: file)?.authority() }
            if let saved, saved.fits(configuration.validity, receiptPlaces) {
                receipts.withLock { $0 = saved }
                return saved
            }
            let rootValidity = try Self.rootValidity(around: configuration.validity)
            if let saved, !saved.root.covers(configuration.validity) {
                throw StoreAuthorityError(
                    .invalidConfiguration,
                    "the receipts' root that is kept is not valid all the time: use another directory")
            }
            let new = try attempting("issuing the certificates for receipts") {
                try ReceiptAuthority(
                    name: configuration.name + " Receipts", validity: configuration.validity,
                    rootValidity: rootValidity, places: receiptPlaces, predecessor: saved)
            }
            if let file { try SecretFile.encode(attempting("writing it") { try SavedReceiptAuthority(new) }, to: file) }
            receipts.withLock { $0 = new }
            return new
        }
    }

    /// The same if it was asked for before; nobody waits for this.
    package var receiptAuthorityIfMade: ReceiptAuthority? { receipts.withLock { $0 } }

    private var receiptPlaces: Authority.Places {
        var places = places
        places.rootResponder += "-receipts"
        places.intermediateResponder += "-receipts"
        return places
    }
}

extension ReceiptAuthority {
    fileprivate func fits(_ validity: ClosedRange<Date>, _ places: Authority.Places) -> Bool {
        [root, intermediate, leaf, xcode].allSatisfy { $0.covers(validity) }
            && intermediate.names(places.rootResponder) && leaf.names(places.intermediateResponder)
    }
}

/// The authority for receipts as its file holds it.
private struct SavedReceiptAuthority: Codable {
    let root: SavedAuthority.Pair
    let intermediate: SavedAuthority.Pair
    let leaf: SavedAuthority.Pair
    let xcode: SavedAuthority.Pair

    init(_ authority: ReceiptAuthority) throws {
        root = try SavedAuthority.Pair(authority.root)
        intermediate = try SavedAuthority.Pair(authority.intermediate)
        leaf = try SavedAuthority.Pair(authority.leaf)
        xcode = try SavedAuthority.Pair(authority.xcode)
    }

    func authority() throws(StoreAuthorityError) -> ReceiptAuthority {
        do {
            return ReceiptAuthority(
                root: try root.issued(), intermediate: try intermediate.issued(), leaf: try leaf.issued(),
                xcode: try xcode.issued())
        } catch {
            throw StoreAuthorityError(.unreadableFile, "the file of the authority for receipts is damaged")
        }
    }
}
