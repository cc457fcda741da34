import AppStoreReceipts
internal import Basics
import Foundation

/// The output of `counterfoil receipt`.
enum ReceiptReport {
    /// Returns one JSON object.
    static func json(_ verified: Verified<Receipt>) -> String {
        let (receipt, trace) = (ReceiptDocument(verified.payload).json, JSONText.encode(TraceReport(verified.trace)))
        return "{\"valid\":true,\"receipt\":\(receipt),\"trace\":\(trace)}"
    }

    /// Returns the lines of text.
    static func lines(_ verified: Verified<Receipt>, _ style: Style) -> [String] {
        let (kind, fields, purchases) =
            switch verified.payload {
            case .app(let receipt): ("app receipt", Self.fields(receipt), receipt.purchases)
            case .transaction(let receipt): ("transaction receipt", Self.fields(receipt), [InAppPurchase(receipt)])
            }
        let known = fields.compactMap { name, value in value.map { (name: name, text: $0.printable) } }
        let width = known.map(\.name.count).max() ?? 0
        var lines = ["\(style.good("valid")) \(kind), signed under \(verified.trace.anchor.printable)"]
        lines += ["", style.strong("trace")] + TraceReport.lines(verified.trace, style)
        lines += ["", style.strong("receipt")]
        lines += known.map { "  \($0.name.padded(to: width))  \($0.text)" }
        lines += ["", style.strong("purchases")]
        return lines + (purchases.isEmpty ? ["  none"] : Self.table([Row.header] + purchases.map(Row.init)))
    }

    /// A line of the receipt; it is left out if the receipt has no value.
    private typealias Field = (name: String, value: String?)

    private static func fields(_ receipt: AppReceipt) -> [Field] {
        [
            ("app", receipt.bundleID), ("version", receipt.version), ("first version", receipt.originalVersion),
            ("type", receipt.receiptType?.rawValue), ("created", receipt.creationDate.readable),
            ("first bought", receipt.originalPurchaseDate?.readable),
            ("pre-ordered", receipt.preorderDate?.readable), ("holds until", receipt.expirationDate?.readable),
            ("organisation", receipt.volumePurchaseOrganization),
            ("app Apple ID", receipt.appAppleID.map { "\($0)" }), ("download", receipt.downloadID.map { "\($0)" }),
            ("revision", receipt.versionExternalID.map { "\($0)" }),
            ("device hash", receipt.deviceHash.hexadecimal),
        ]
    }

    private static func fields(_ receipt: LegacyReceipt) -> [Field] {
        [
            ("app", receipt.bundleID), ("version", receipt.version),
            ("environment", receipt.environment.map(\.rawValue) ?? "not known: it is not signed"),
            ("app Apple ID", receipt.appItemID), ("vendor identifier", receipt.uniqueVendorIdentifier?.uuidString),
        ]
    }

    /// Returns the rows with columns as wide as their widest cell, without spaces at the end.
    private static func table(_ rows: [Row]) -> [String] {
        let widths = Row.header.cells.indices.map { column in rows.map { $0.cells[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row.cells, widths).map { $0.padded(to: $1) }
            var line = "  " + cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// A row of the table of purchases.
    private struct Row {
        let cells: [String]

        static let header = Row(["product", "transaction", "original", "bought", "until", "notes"])

        private init(_ cells: [String?]) { self.cells = cells.map { ($0 ?? "").printable } }

        init(_ purchase: InAppPurchase) {
            let pieces: String? = purchase.quantity.flatMap { $0 == 1 ? nil : "\($0) pieces" }
            let notes = [
                pieces, purchase.isTrialPeriod == true ? "trial" : nil,
                purchase.isInIntroductoryOfferPeriod == true ? "introductory offer" : nil,
                purchase.promotionalOfferID.map { "offer \($0)" },
                purchase.cancellationDate.map { "taken back \($0.readable)" },
            ]
            self.init([
                purchase.productID, purchase.transactionID, purchase.originalTransactionID,
                purchase.purchaseDate.readable, purchase.expirationDate?.readable,
                notes.compactMap(\.self).joined(separator: ", "),
            ])
        }
    }
}
