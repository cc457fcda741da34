package import Foundation

/// The scheduled events, the earliest first. Events with the same date are in the order in which they were added.
package struct Schedule: Sendable, Codable {
    /// A scheduled event.
    package enum Event: Sendable, Hashable, Codable {
        /// The subscription is charged, or its period, grace period or billing retry ends.
        case subscription(String)
        /// One of the attempts in billing retry succeeds.
        case recovery(String)
        /// A scheduled price takes effect.
        case priceCampaign(Int)
        /// A subscriber is notified of a price increase.
        case priceNotice(String)
        /// The store decides a refund request.
        case refundDecision(String)
        /// The renewal dates of all subscribers are extended.
        case massExtension(String)
        /// A period that was charged in advance begins. The family shares it, or loses the subscription if the product
        /// cannot be shared.
        case sharing(String)
        /// An external purchase token is due for a reminder, or is reported as unreported.
        case externalPurchaseToken(String)
        /// A notification, identified by its number, is due for delivery.
        case delivery(Int)
    }

    package struct Entry: Sendable, Codable {
        package let date: Date
        package let number: Int
        package let event: Event

        func precedes(_ other: Entry) -> Bool { (date, number) < (other.date, other.number) }
    }

    // A binary heap: the entry at index i precedes those at 2i + 1 and 2i + 2.
    private var heap: [Entry] = []
    private var count = 0

    package init() {}

    package var first: Entry? { heap.first }

    package var next: Date? { first?.date }

    /// Schedules an event. Events with the same date are ordered by `order`, by default the order of the calls.
    package mutating func add(_ event: Event, at date: Date, order: Int? = nil) {
        // The number may come from a snapshot that somebody edited, as all that the store counts.
        count &+= 1
        heap.append(Entry(date: date, number: order ?? count, event: event))
        var child = heap.count - 1
        while child > 0, case let parent = (child - 1) / 2, heap[child].precedes(heap[parent]) {
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the next entry if it is due by `date`.
    package mutating func pop(dueBy date: Date) -> Entry? {
        guard let first = heap.first, first.date <= date, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while case let left = 2 * parent + 1, left < heap.count {
            let right = left + 1
            let child = right < heap.count && heap[right].precedes(heap[left]) ? right : left
            guard heap[child].precedes(heap[parent]) else { break }
            heap.swapAt(child, parent)
            parent = child
        }
        return first
    }
}
