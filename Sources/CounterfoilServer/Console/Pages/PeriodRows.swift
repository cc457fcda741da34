internal import Foundation
internal import WebConsole

/// Converts the periods of a customer's purchases from the API's response to rows of a time axis.
enum PeriodRows {
    static func rows(of items: [APIValue]) -> [TimeBars.Row] {
        items.map { item in TimeBars.Row(item.string("product_id"), item["items"].items.compactMap(bar)) }
    }

    private static func bar(_ item: APIValue) -> TimeBars.Bar? {
        guard let start = item["start_date"].instant,
            let kind = item["kind"].text.flatMap(PurchasePeriods.Kind.init)
        else { return nil }
        let end = item["end_date"].instant
        let period = "\(start.consoleText) to \(end?.consoleText ?? "no end")"
        return switch kind {
        case .paid: .init(start, end, .paid, period)
        case .trial: .init(start, end, .trial, period)
        case .refunded: .init(start, end, .refunded, period)
        case .upgraded: .init(start, end, .upgraded, period)
        case .once: .init(start, end, .once, end == nil ? "Bought \(start.consoleText)" : period)
        case .grace: .init(start, end, .grace, "Billing grace period until \(end?.consoleText ?? "")")
        case .retry: .init(start, end, .retry, "Billing retry since \(start.consoleText)")
        }
    }
}
