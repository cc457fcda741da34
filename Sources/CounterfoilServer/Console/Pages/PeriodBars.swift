internal import AppStoreModels
internal import AppStoreTrust
internal import Entitlements
internal import Foundation
internal import WebConsole

/// The periods of a customer's subscriptions as bars on one time axis.
enum PeriodBars {
    private static let (width, left, row, most) = (960, 250, 30, 20)

    /// The picture; nil where there is nothing to draw.
    static func drawing(_ facts: [TransactionFact], now: Date) -> Drawing? {
        let lineages = Dictionary(grouping: facts, by: \.originalTransactionId)
            .sorted { ($0.value.map(\.purchaseDate).min() ?? now) < ($1.value.map(\.purchaseDate).min() ?? now) }
        guard let first = facts.map(\.purchaseDate).min() else { return nil }
        let last = max(facts.compactMap(\.expiresDate).max() ?? now, now, first + 86_400)
        let shown = lineages.suffix(most)
        let height = shown.count * row + 40
        let count = facts.count
        var drawing = Drawing(
            width: width, height: height, title: "Periods",
            summary: "\(shown.count) purchases with \(count) transactions, from \(day(first)) to \(day(last)).")
        func x(_ date: Date) -> Double {
            let span = max(1, last.timeIntervalSince(first))
            return Double(left) + date.timeIntervalSince(first) / span * Double(width - left - 20)
        }
        for step in 0...4 {
            let date = first + last.timeIntervalSince(first) * Double(step) / 4
            drawing.line(x1: x(date), y1: 0, x2: x(date), y2: Double(height - 28), kind: "axis")
            drawing.text(
                day(date), x: x(date), y: Double(height - 10), anchor: step == 0 ? .start : step == 4 ? .end : .middle,
                kind: "small")
        }
        for (index, lineage) in shown.enumerated() {
            let y = Double(index * row + 4)
            let name = lineage.value.last?.productId ?? lineage.key
            drawing.text(name.count > 34 ? "…" + name.suffix(33) : name, x: 0, y: y + 15)
            for fact in lineage.value.sorted(by: { $0.purchaseDate < $1.purchaseDate }) {
                let end = min(fact.revocationDate ?? .distantFuture, fact.expiresDate ?? fact.purchaseDate + 1)
                let label = "\(fact.productId), \(day(fact.purchaseDate)) to \(fact.expiresDate.map(day) ?? "no end")"
                drawing.rectangle(
                    x: x(fact.purchaseDate), y: y, width: max(4, x(end) - x(fact.purchaseDate) - 1), height: 20,
                    kind: kind(fact), label: label)
            }
        }
        drawing.line(x1: x(now), y1: 0, x2: x(now), y2: Double(height - 28), kind: "now")
        return drawing
    }

    private static func kind(_ fact: TransactionFact) -> StaticString {
        if fact.revocationDate != nil { return "refunded" }
        if fact.expiresDate == nil { return "once" }
        return fact.offerType == .introductory ? "trial" : "paid"
    }

    private static func day(_ date: Date) -> String { String(date.formatted(.iso8601).prefix(10)) }
}
