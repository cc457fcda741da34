public import Foundation

/// A signed Advanced Commerce request in the form that the app needs.
public struct AdvancedCommerceRequestData: Sendable, Hashable {
    /// The compact JWS.
    public let token: String

    /// The bytes that the app gives to StoreKit as the purchase option `advancedCommerceData`:
    /// `{"signatureInfo":{"token":"…"}}`.
    public let data: Data

    /// ``data`` in standard base64: the field `advancedCommerceData` of a Retention Messaging response.
    public var base64: String { data.base64EncodedString() }
}
