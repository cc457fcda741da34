internal import AppStoreTrust
public import Foundation

/// A receipt that was read and not checked: anyone can have written it.
///
/// Good for looking at, and for finding a transaction to ask the App Store about. Nothing may be granted because of it.
public struct UnverifiedReceipt: Sendable, Hashable {
    /// What the receipt says about itself.
    public let content: Receipt

    /// Reads a receipt from base64 in the standard alphabet with padding. Line breaks and tabs are skipped, and blanks at
    /// both ends; a blank inside is refused, because it was a `+` before something decoded the text as a form.
    ///
    /// - Throws: `malformed_receipt`, `bad_base64url`, `too_large`.
    public init(base64 text: String, limits: ReceiptLimits = ReceiptLimits()) throws(VerificationError) {
        try self.init(ReceiptBytes(base64: text, limits: limits), limits: limits)
    }

    /// Reads a receipt as it lies in a file or a request: its bytes, or their base64.
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
    /// Finds a transaction identifier in a receipt, for the step from receipts to the App Store Server API: with any
    /// transaction of a customer, the server tells the whole history.
    ///
    /// Of a unified receipt, also one that Xcode made, this is the transaction of the first purchase in file order, as
    /// in Apple's Java, Node and Python libraries (the Swift one takes the original transaction of the last). A purchase
    /// that has only an original transaction gives that one. Of a transaction receipt it is its transaction. Attributes
    /// and fields that are not needed for this may be missing.
    ///
    /// - Important: Nothing is verified. The identifier is good for a question to the App Store and proves nothing.
    /// - Parameter text: The receipt in base64, as ``init(base64:limits:)`` takes it.
    /// - Returns: The identifier; nil for a receipt without purchases.
    /// - Throws: `malformed_receipt`, `bad_base64url` or `too_large` for what is not a receipt.
    public static func transactionID(
        in text: String, limits: ReceiptLimits = ReceiptLimits()
    ) throws(VerificationError) -> String? {
        try transactionID(in: ReceiptBytes(base64: text, limits: limits), limits)
    }

    /// The same for a receipt as it lies in a file or a request: its bytes, or their base64.
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
