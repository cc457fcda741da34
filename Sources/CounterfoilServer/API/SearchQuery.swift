internal import AppStoreModels
internal import Foundation
internal import Ledger

/// What somebody typed into a search, and the identifiers that it can be.
package struct SearchQuery: Sendable, Hashable {
    /// The text without the spaces around it.
    package let text: String
    /// The text with them, which only names of customers can have.
    private let typed: String

    /// Returns nil unless the text has 1 to 255 bytes and no control characters.
    package init?(_ typed: String) {
        self.typed = typed
        text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        guard CustomerName.isPossible(text) else { return nil }
    }

    private var isNumber: Bool { text.utf8.allSatisfy { (0x30...0x39).contains($0) } }

    /// The identifier of a transaction or of an original transaction.
    package var transaction: String? { isNumber && text.utf8.count <= 64 ? text : nil }

    package var event: String? { text.hasPrefix("evt_") ? text : nil }

    /// The UUID of a notification.
    package var notification: String? { UUID(text: text) == nil ? nil : text }

    /// The customers that the ledger may know, without stand-ins of erased ones.
    package var customers: [String] {
        (typed.isExactly(text) ? [text] : [typed, text])
            .filter { CustomerName.isPossible($0) && CustomerName.isNormal($0) }
            .map(CustomerName.normal).filter { !Erasure.isStandIn($0) }
    }

    /// An order: letters and digits, in Apple's words.
    package var order: String? {
        !isNumber && (6...32).contains(text.utf8.count) && text.utf8.allSatisfy(\.isOrderCharacter) ? text : nil
    }
}

extension UInt8 {
    fileprivate var isOrderCharacter: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }
}
