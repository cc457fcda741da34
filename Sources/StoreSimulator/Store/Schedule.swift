package import Foundation

/// What will happen by itself, the earliest first. Entries with the same date are in the order in which they were planned.
package struct Schedule: Sendable, Codable {
    /// Something that happens by itself.
    package enum Event: Sendable, Hashable, Codable {
        /// A period, a grace period or a billing retry ends.
        case subscription(String)
        /// One of the attempts to charge what is owed succeeds.
        case recovery(String)
        /// A scheduled price holds.
        case priceCampaign(Int)
        /// A subscriber is told of another price.
        case priceNotice(String)
        /// Nobody has decided about a refund yet.
        case refundDecision(String)
        /// All subscribers get their extension.
        case massExtension(String)
        /// A period begins that was paid ahead. The family gets it, or loses the subscription if it cannot be shared.
        case sharing(String)
        /// An external purchase token is due for a reminder or for its end.
        case externalPurchaseToken(String)
        /// A notification is due to be sent, by its number.
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

    /// Plans an event. `order` settles which of two at one instant comes first; without it, which was planned first.
    package mutating func add(_ event: Event, at date: Date, order: Int? = nil) {
        count += 1
        heap.append(Entry(date: date, number: order ?? count, event: event))
        var child = heap.count - 1
        while child > 0, case let parent = (child - 1) / 2, heap[child].precedes(heap[parent]) {
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the next entry out if it is due.
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
