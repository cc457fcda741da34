internal import Basics
internal import Foundation
internal import Hummingbird
internal import Ledger

/// The requested page of a list: the parameters `page` and `limit`.
struct Paging {
    /// The maximum number of items.
    var limit = 50
    /// The `next_page` of an earlier response.
    var page: String?

    /// - Parameter largest: The maximum of `limit`.
    init(_ request: Request, largest: Int = 100) throws(APIFailure) {
        let parameters = request.uri.queryParameters
        if let text = parameters["limit"] {
            guard let limit = Int(text), (1...largest).contains(limit) else {
                throw APIFailure("invalid_limit", "`limit` is 1 to \(largest).", parameter: "limit")
            }
            self.limit = limit
        }
        page = parameters["page"].map { String($0) }
    }

    /// Returns `page` as the number of the item before the page; without a `page` the largest number.
    func number() throws(APIFailure) -> Int64 {
        guard let page else { return .max }
        guard let number = Int64(page), number >= 0 else { throw Self.invalid }
        return number
    }

    /// Returns the page of items that were read with a limit of one more, and its last item if another page follows.
    func items<Item>(of found: [Item]) -> (page: ArraySlice<Item>, last: Item?) {
        let page = found.prefix(limit)
        return (page, found.count > page.count ? page.last : nil)
    }

    /// Returns `page` as the original transaction ID of the purchase before the page; empty without a `page`.
    func originalTransactionID() throws(APIFailure) -> String {
        guard let page else { return "" }
        guard page.isAppStoreIdentifier else { throw Self.invalid }
        return page
    }

    /// Returns `page` as the number of the event before the page, 0 without a `page`, and the mark of that event. A `page`
    /// of an earlier version has no mark.
    func eventPosition() throws(APIFailure) -> (number: Int64, mark: String?) {
        guard let page else { return (0, nil) }
        let parts = page.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = Int64(parts[0]), number >= 0 else { throw Self.invalid }
        return (number, parts.count > 1 ? String(parts[1]) : nil)
    }

    /// Returns `page` as a position in a timeline, or in a list of grants.
    func timelinePosition() throws(APIFailure) -> TimelinePosition? {
        guard let page else { return nil }
        let parts = page.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard page.utf8.count <= 300, parts.count == 3, let date = Int64(parts[0]), let number = Int64(parts[1]) else {
            throw Self.invalid
        }
        return TimelinePosition(date: date, number: number, name: String(parts[2]))
    }

    /// Returns `page` as a position in the list of pending consumption requests.
    func inquiryPosition() throws(APIFailure) -> InquiryPosition? {
        guard let page else { return nil }
        let parts = page.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "pending", let deadline = Int64(parts[1]), let id = Int64(parts[2]) else {
            throw Self.invalid
        }
        return InquiryPosition(deadline: deadline, id: id)
    }

    /// Returns `page` as a position in the segment called `name`. Segments have different orders.
    func segmentPosition(in name: String) throws(APIFailure) -> SegmentPosition? {
        guard let page else { return nil }
        let parts = page.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard page.utf8.count <= 300, parts.count == 3, parts[0] == name, let number = Int64(parts[1]) else {
            throw Self.invalid
        }
        return SegmentPosition(number: number, originalTransactionID: String(parts[2]))
    }

    static var invalid: APIFailure {
        APIFailure("invalid_page", "`page` must be a `next_page` value from an earlier response.", parameter: "page")
    }
}

extension TimelinePosition {
    /// The `page` of the items after this position.
    var token: String { "\(date).\(number).\(name)" }
}

extension ConsumptionInquiry {
    /// The `page` of the pending requests after this one.
    var pendingToken: String { "pending.\(deadline).\(id)" }
}

extension SegmentPosition {
    /// Returns the `page` of the items after this position in the segment called `name`.
    func token(in name: String) -> String { "\(name).\(number).\(originalTransactionID)" }
}

extension Request {
    /// Returns a query parameter. Most requests have no query.
    func parameter(_ name: String) -> String? {
        guard uri.query != nil else { return nil }
        return uri.queryParameters[name[...]].map { String($0) }
    }

    /// Returns a query parameter as an instant.
    func instant(_ name: String) throws(APIFailure) -> Milliseconds? {
        guard let text = parameter(name) else { return nil }
        guard let instant = InstantText.milliseconds(text) else {
            throw APIFailure("invalid_instant", InstantText.form, parameter: name)
        }
        return instant
    }

    /// Returns a query parameter as a date.
    func date(_ name: String) throws(APIFailure) -> Date? { try instant(name).map { Date(milliseconds: $0) } }

    /// Returns a query parameter of 1 to 255 bytes.
    func shortText(_ name: String) throws(APIFailure) -> String? {
        guard let text = uri.queryParameters[name[...]] else { return nil }
        guard !text.isEmpty, text.utf8.count <= 255 else {
            throw APIFailure("invalid_parameter", "`\(name)` has 1 to 255 bytes.", parameter: name)
        }
        return String(text)
    }

    /// Whether the parameter `include` contains a value. It is a list; some clients repeat the parameter instead.
    func includes(_ part: String) -> Bool {
        uri.queryParameters[values: "include"].contains { list in list.split(separator: ",").contains { $0 == part } }
    }
}
