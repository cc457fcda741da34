internal import Foundation
internal import WebConsole

/// The periods of what a customer bought, as the API tells them, as rows of a time axis.
enum PeriodRows {
    private static let kinds: [PurchasePeriods.Kind: TimeBars.Kind] = [
        .paid: .paid, .trial: .trial, .refunded: .refunded, .upgraded: .upgraded, .once: .once, .grace: .grace,
        .retry: .retry,
    ]

    static func rows(of items: [APIValue]) -> [TimeBars.Row] {
        items.map { item in TimeBars.Row(item["product_id"].text ?? "", item["items"].items.compactMap(bar)) }
    }

    private static func bar(_ item: APIValue) -> TimeBars.Bar? {
        guard let start = item["start_date"].instant,
            let kind = item["kind"].text.flatMap(PurchasePeriods.Kind.init), let drawn = kinds[kind]
        else { return nil }
        let end = item["end_date"].instant
        let label =
            switch kind {
            case .grace: "Billing grace period until \(end?.consoleText ?? "")"
            case .retry: "Billing retry since \(start.consoleText)"
            default: "\(start.consoleText) to \(end?.consoleText ?? "no end")"
            }
        return TimeBars.Bar(start, end, drawn, label)
    }
}
