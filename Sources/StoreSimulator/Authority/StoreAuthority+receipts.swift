internal import Foundation
internal import Synchronization

extension StoreAuthority {
    /// Returns the authority that signs receipts; it has a separate root. The first call creates it, which takes
    /// seconds; concurrent calls wait.
    package func receiptAuthority() throws(SimulatorError) -> ReceiptAuthority {
        try receiptCreation.withLock { _ throws(SimulatorError) in
            if let made = existingReceiptAuthority { return made }
            let file = directory?.appending(path: "receipt-authority.json")
            var saved: ReceiptAuthority?
            if let file { saved = try SecretFile.decode(SavedReceiptAuthority.self, from: file)?.authority() }
            if let saved, saved.fits(configuration.validity, receiptURLs) {
                receipts.withLock { $0 = saved }
                return saved
            }
            let rootValidity = try Self.rootValidity(around: configuration.validity)
            if let saved, !saved.root.covers(configuration.validity) {
                throw SimulatorError(
                    .invalidArgument,
                    "the saved root certificate of receipts does not cover the required time: use another directory")
            }
            let new = try attempting("issuing the certificates for receipts") {
                try ReceiptAuthority(
                    name: configuration.name + " Receipts", validity: configuration.validity,
                    rootValidity: rootValidity, urls: receiptURLs, predecessor: saved)
            }
            if let file { try SecretFile.encode(attempting("writing it") { try SavedReceiptAuthority(new) }, to: file) }
            receipts.withLock { $0 = new }
            return new
        }
    }

    /// The authority that signs receipts; nil if it has not been created or loaded yet. Does not wait.
    package var existingReceiptAuthority: ReceiptAuthority? { receipts.withLock { $0 } }

    private var receiptURLs: Authority.URLs {
        var urls = urls
        urls.rootResponder += "-receipts"
        urls.intermediateResponder += "-receipts"
        return urls
    }
}

extension ReceiptAuthority {
    fileprivate func fits(_ validity: ClosedRange<Date>, _ urls: Authority.URLs) -> Bool {
        [root, intermediate, leaf, xcode].allSatisfy { $0.covers(validity) }
            && intermediate.names(responder: urls.rootResponder) && leaf.names(responder: urls.intermediateResponder)
    }
}

/// The file format of the authority for receipts.
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

    func authority() throws(SimulatorError) -> ReceiptAuthority {
        do {
            return ReceiptAuthority(
                root: try root.issued(), intermediate: try intermediate.issued(), leaf: try leaf.issued(),
                xcode: try xcode.issued())
        } catch {
            throw SimulatorError(.corrupted, "the file of the authority for receipts is damaged")
        }
    }
}
