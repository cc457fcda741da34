internal import AppStoreReceipts
internal import Foundation

/// The members of an object in an answer of `verifyReceipt`, where nearly everything is text.
struct ReceiptMembers {
    private(set) var all: [OrderedJSON.Member] = []

    mutating func add(_ name: String, _ value: OrderedJSON) { all.append(.init(name, value)) }

    mutating func add(_ name: String, _ text: String?) {
        if let text { add(name, .string(text)) }
    }

    mutating func add(_ name: String, _ flag: Bool) { add(name, flag ? "true" : "false") }

    /// A date in its three forms; none when it is absent.
    mutating func add(_ name: String, _ date: Date?) {
        guard let date, let milliseconds = date.receiptMilliseconds else { return }
        add(name, date.formatted(Self.style(.gmt)) + " Etc/GMT")
        add(name + "_ms", String(milliseconds))
        if let losAngeles = Self.losAngeles {
            add(name + "_pst", date.formatted(Self.style(losAngeles)) + " America/Los_Angeles")
        }
    }

    private static let losAngeles = TimeZone(identifier: "America/Los_Angeles")

    private static func style(_ zone: TimeZone) -> Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(timeZone: zone).year().month().day().dateSeparator(.dash)
            .dateTimeSeparator(.space).time(includingFractionalSeconds: false).timeSeparator(.colon)
    }
}
