internal import AppStoreModels
internal import Basics
internal import Foundation
internal import Ledger

/// A search text, and the identifiers that it may be.
package struct SearchQuery: Sendable, Hashable {
    /// The text without surrounding spaces.
    package let text: String
    /// The text with surrounding spaces, which only customer identifiers can have.
    private let typed: String

    /// Returns nil unless the text has 1 to 255 bytes and no control characters.
    package init?(_ typed: String) {
        self.typed = typed
        text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        guard CustomerName.isValid(text) else { return nil }
    }

    /// The identifier of a transaction or of an original transaction.
    package var transaction: String? { text.isDigits(upTo: 64) ? text : nil }

    package var event: String? { text.hasPrefix(LedgerEvent.prefix) ? text : nil }

    /// The UUID of a notification.
    package var notification: String? { UUID(text: text) == nil ? nil : text }

    /// The customers that the ledger may know, without the stand-ins of erased customers.
    package var customers: [String] {
        (typed.isExactly(text) ? [text] : [typed, text])
            .filter { CustomerName.isValid($0) && CustomerName.isNFC($0) }
            .map(CustomerName.canonical).filter { !Erasure.isStandIn($0) }
    }

    /// An order ID: 6 to 32 digits and capital letters, at least one of them a letter.
    package var order: String? {
        !text.isDigits() && (6...32).contains(text.utf8.count) && text.utf8.allSatisfy(\.isOrderCharacter) ? text : nil
    }
}

extension UInt8 {
    fileprivate var isOrderCharacter: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }
}
