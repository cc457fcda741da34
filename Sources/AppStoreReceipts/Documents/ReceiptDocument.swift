internal import AppStoreModels
internal import Basics
internal import Foundation

/// A receipt as a JSON object for programs: the `receipt` that the command `counterfoil receipt --json` prints.
///
/// All members are always present; values that the receipt lacks are null. Dates are integers, in milliseconds since
/// 1970.
///
/// | Member | Value |
/// |---|---|
/// | `bundle_id` `application_version` `original_application_version` | text |
/// | `receipt_creation_date_ms` | integer; null in a transaction receipt |
/// | `environment` | `Production`, `Sandbox`, `Xcode` or null |
/// | `receipt_type` | text, as in attribute 0 |
/// | `app_apple_id` `download_id` `version_external_identifier` | integer |
/// | `original_purchase_date_ms` `expiration_date_ms` `preorder_date_ms` `download_date_ms` | integer |
/// | `volume_purchase_date_ms` | integer |
/// | `volume_purchase_organization` `age_rating` | text |
/// | `vendor_id` `platform` `system_version` `device_kind` `signing_service_version` | integer |
/// | `unique_vendor_identifier` | text; null in a unified receipt |
/// | `opaque_value` `sha1_hash` | hexadecimal text |
/// | `in_app` | array of purchases, in file order |
/// | `other_attributes` | array of `type`, `version` (integers) and `value` (hexadecimal), in file order |
///
/// | Member of a purchase | Value |
/// |---|---|
/// | `product_id` `transaction_id` `original_transaction_id` | text |
/// | `purchase_date_ms` `original_purchase_date_ms` `expires_date_ms` `cancellation_date_ms` | integer |
/// | `quantity` `cancellation_reason` `product_type` `product_apple_id` | integer |
/// | `is_trial_period` `is_in_intro_offer_period` | boolean |
/// | `web_order_line_item_id` `promotional_offer_id` | text |
/// | `other_attributes` | as above |
public struct ReceiptDocument: Sendable, Hashable, Encodable {
    /// The object, with its members in order.
    package let object: OrderedJSON

    /// Creates the document of a receipt.
    public init(_ receipt: Receipt) {
        switch receipt {
        case .app(let receipt): object = Self.object(receipt)
        case .transaction(let receipt): object = Self.object(receipt)
        }
    }

    /// The object as one line of JSON, with its members in the order of the tables.
    public var json: String { object.text }

    /// Encodes the object. An encoder may change the order of the members; ``json`` does not.
    public func encode(to encoder: any Encoder) throws { try object.encode(to: encoder) }

    private static func object(_ receipt: AppReceipt) -> OrderedJSON {
        let app: [OrderedJSON.Member] = [
            .init("bundle_id", .string(receipt.bundleID)),
            .init("application_version", .string(receipt.version)),
            .init("original_application_version", .init(receipt.originalVersion)),
            .init("receipt_creation_date_ms", .milliseconds(receipt.creationDate)),
            .init("environment", .init(receipt.environment?.rawValue)),
            .init("receipt_type", .init(receipt.receiptType?.rawValue)),
            .init("app_apple_id", .init(receipt.appAppleID)),
            .init("download_id", .init(receipt.downloadID)),
            .init("version_external_identifier", .init(receipt.versionExternalID)),
            .init("original_purchase_date_ms", .milliseconds(receipt.originalPurchaseDate)),
            .init("expiration_date_ms", .milliseconds(receipt.expirationDate)),
            .init("preorder_date_ms", .milliseconds(receipt.preorderDate)),
        ]
        let installation: [OrderedJSON.Member] = [
            .init("download_date_ms", .milliseconds(receipt.downloadDate)),
            .init("volume_purchase_date_ms", .milliseconds(receipt.volumePurchaseDate)),
            .init("volume_purchase_organization", .init(receipt.volumePurchaseOrganization)),
            .init("age_rating", .init(receipt.ageRating)),
            .init("vendor_id", .init(receipt.vendorID)),
            .init("platform", .init(receipt.platform)),
            .init("system_version", .init(receipt.systemVersion)),
            .init("device_kind", .init(receipt.deviceKind)),
            .init("signing_service_version", .init(receipt.signingServiceVersion)),
            .init("unique_vendor_identifier", .null),
        ]
        let purchases = receipt.purchases.map { purchase in
            Self.object(purchase, webOrderLineItemID: purchase.webOrderLineItemID.map { String($0) })
        }
        let contents: [OrderedJSON.Member] = [
            .init("opaque_value", .string(receipt.opaqueValue.hexadecimal)),
            .init("sha1_hash", .string(receipt.deviceHash.hexadecimal)),
            .init("in_app", .array(purchases)),
            .init("other_attributes", .attributes(receipt.otherAttributes)),
        ]
        return .object(app + installation + contents)
    }

    private static func object(_ purchase: InAppPurchase, webOrderLineItemID: String?) -> OrderedJSON {
        .object([
            .init("product_id", .string(purchase.productID)),
            .init("transaction_id", .string(purchase.transactionID)),
            .init("original_transaction_id", .init(purchase.originalTransactionID)),
            .init("purchase_date_ms", .milliseconds(purchase.purchaseDate)),
            .init("original_purchase_date_ms", .milliseconds(purchase.originalPurchaseDate)),
            .init("expires_date_ms", .milliseconds(purchase.expirationDate)),
            .init("cancellation_date_ms", .milliseconds(purchase.cancellationDate)),
            .init("quantity", .init(purchase.quantity)),
            .init("cancellation_reason", .init(purchase.cancellationReason)),
            .init("product_type", .init(purchase.productType?.rawValue)),
            .init("product_apple_id", .init(purchase.productAppleID)),
            .init("is_trial_period", .init(purchase.isTrialPeriod)),
            .init("is_in_intro_offer_period", .init(purchase.isInIntroductoryOfferPeriod)),
            .init("web_order_line_item_id", .init(webOrderLineItemID)),
            .init("promotional_offer_id", .init(purchase.promotionalOfferID)),
            .init("other_attributes", .attributes(purchase.otherAttributes)),
        ])
    }

    private static func object(_ receipt: LegacyReceipt) -> OrderedJSON {
        let purchase = Self.object(InAppPurchase(receipt), webOrderLineItemID: receipt.webOrderLineItemID)
        let app: [OrderedJSON.Member] = [
            .init("bundle_id", .string(receipt.bundleID)),
            .init("application_version", .init(receipt.version)),
            .init("original_application_version", .null),
            .init("receipt_creation_date_ms", .null),
            .init("environment", .init(receipt.environment?.rawValue)),
            .init("receipt_type", .null),
            .init("app_apple_id", .init(receipt.appItemID.flatMap { Int64($0) })),
            .init("download_id", .null),
            .init("version_external_identifier", .init(receipt.versionExternalIdentifier.flatMap { Int64($0) })),
        ]
        let contents: [OrderedJSON.Member] = [
            .init("unique_vendor_identifier", .init(receipt.uniqueVendorIdentifier?.text)),
            .init("opaque_value", .null),
            .init("sha1_hash", .null),
            .init("in_app", .array([purchase])),
            .init("other_attributes", .array([])),
        ]
        return .object(app + missingInTransactionReceipts.map { OrderedJSON.Member($0, .null) } + contents)
    }

    private static let missingInTransactionReceipts = [
        "original_purchase_date_ms", "expiration_date_ms", "preorder_date_ms", "download_date_ms",
        "volume_purchase_date_ms", "volume_purchase_organization", "age_rating", "vendor_id", "platform",
        "system_version", "device_kind", "signing_service_version",
    ]
}

extension OrderedJSON {
    fileprivate static func milliseconds(_ date: Date?) -> OrderedJSON { .init(date?.millisecondsSince1970) }

    fileprivate static func attributes(_ attributes: [ReceiptAttribute]) -> OrderedJSON {
        .array(
            attributes.map { attribute in
                .object([
                    .init("type", .number(attribute.type)), .init("version", .number(attribute.version)),
                    .init("value", .string(attribute.value.hexadecimal)),
                ])
            })
    }
}
