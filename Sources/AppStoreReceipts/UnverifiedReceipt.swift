internal import AppStoreTrust
public import Foundation

/// A receipt that was parsed but not verified: anyone can create one.
///
/// Use it only to display it, or to find a transaction for a request to the App Store. Never grant access because of
/// it.
public struct UnverifiedReceipt: Sendable, Hashable {
    /// The content of the receipt.
    public let content: Receipt

    /// Reads a receipt from base64 in the standard alphabet with padding. Skips line breaks and tabs, and spaces at
    /// both ends. A space inside is refused: it was a `+` before a form decoder replaced it.
    ///
    /// - Throws: `malformed_receipt`, `bad_base64url`, `too_large`.
    public init(base64 text: String, limits: ReceiptLimits = ReceiptLimits()) throws(VerificationError) {
        try self.init(ReceiptBytes(base64: text, limits: limits), limits: limits)
    }

    /// Reads a receipt from a file or a request: bytes or base64.
    ///
    /// - Throws: `malformed_receipt`, `bad_base64url`, `too_large`.
    public init(contents: Data, limits: ReceiptLimits = ReceiptLimits()) throws(VerificationError) {
        try self.init(ReceiptBytes(contents: contents, limits: limits), limits: limits)
    }

    private init(_ input: ReceiptBytes, limits: ReceiptLimits) throws(VerificationError) {
        switch input.format {
        case .unified:
            let container = try SignedContainer(input.bytes, limits: limits)
            content = .app(try AppReceipt(payload: container.content, limits: limits))
        case .legacy:
            content = .transaction(try LegacyReceipt(LegacyContainer(input.bytes)))
        }
    }
}

extension UnverifiedReceipt {
    /// Returns a transaction identifier of a receipt, for moving from receipts to the App Store Server API, which
    /// returns the whole history of a customer for any of the customer's transactions.
    ///
    /// For a unified receipt, including Xcode's, the result is the transaction of the first purchase in file order that
    /// has an identifier; if it has only an original transaction, that one. Apple's Java, Node and Python libraries use
    /// the same purchase, but return its original transaction if that is first in the file; Apple's Swift library
    /// usually returns the original transaction of the last purchase. For a transaction receipt, the result is its
    /// transaction, or else its original transaction. Attributes and fields that are not needed may be missing.
    ///
    /// - Important: Nothing is verified. Use the identifier only for a request to the App Store; it proves nothing.
    /// - Parameter text: The receipt in base64, as for ``init(base64:limits:)``.
    /// - Returns: The identifier; nil for a receipt without purchases, or whose purchases have no identifier.
    /// - Throws: `malformed_receipt`, `bad_base64url` or `too_large` if the text is not a receipt.
    public static func transactionID(
        in text: String, limits: ReceiptLimits = ReceiptLimits()
    ) throws(VerificationError) -> String? {
        try transactionID(in: ReceiptBytes(base64: text, limits: limits), limits)
    }

    /// Returns a transaction identifier of a receipt from a file or a request: bytes or base64.
    public static func transactionID(
        inContents contents: Data, limits: ReceiptLimits = ReceiptLimits()
    ) throws(VerificationError) -> String? {
        try transactionID(in: ReceiptBytes(contents: contents, limits: limits), limits)
    }

    private static func transactionID(
        in input: ReceiptBytes, _ limits: ReceiptLimits
    ) throws(VerificationError) -> String? {
        switch input.format {
        case .legacy:
            let info = try LegacyContainer(input.bytes).purchaseInfo()
            let list = try PropertyList(info, "the purchase information")
            return [list["transaction-id"], list["original-transaction-id"]].lazy.compactMap(\.self).first {
                !$0.isEmpty
            }
        case .unified:
            let container = try SignedContainer(input.bytes, limits: limits)
            var remaining = limits.attributes
            let attributes = try ReceiptAttribute.read(container.content[...], "the payload", remaining: &remaining)
            for attribute in attributes where attribute.type == AppReceipt.purchaseAttribute {
                let bytes = Array(attribute.value)[...]
                let purchase = try ReceiptAttribute.read(bytes, "a purchase", remaining: &remaining)
                if let transaction = text(1703, in: purchase) ?? text(1705, in: purchase) { return transaction }
            }
            return nil
        }
    }

    private static func text(_ type: Int64, in attributes: [ReceiptAttribute]) -> String? {
        for attribute in attributes where attribute.type == type {
            if let text = attribute.text, !text.isEmpty { return text }
        }
        return nil
    }
}
