internal import AppStoreModels

/// A lane of deliveries to one endpoint. A delivery is in the lane of its customer, and in that of its purchase, which
/// may move between customers. In both, deliveries are sent in the order in which their events occurred.
package enum DeliveryLane: Sendable, Hashable {
    /// A lane by its ``name(customer:purchase:event:in:)``.
    case customer(String)
    /// A lane by its ``purchase(_:in:)``.
    case purchase(String)

    /// Returns the name of a customer's lane.
    package static func customer(_ customer: String, in scope: Int64) -> String { "\(scope) customer \(customer)" }

    /// Returns the name of a purchase's lane.
    package static func purchase(_ original: String, in scope: Int64) -> String { "\(scope) purchase \(original)" }

    /// Returns the name of the first lane of an event: that of the customer, or else of the purchase, or else of the
    /// event itself.
    package static func name(
        customer: String?, purchase original: String?, event number: Int64, in scope: Int64
    ) -> String {
        if let customer { return Self.customer(customer, in: scope) }
        return original.map { purchase($0, in: scope) } ?? "event \(number)"
    }

    /// Returns the delivery of a lane that is sent next: the first of both its lanes. Nil if another delivery in them
    /// is due, or if a delivery of the purchase in another lane precedes it.
    ///
    /// - Parameters:
    ///   - lane: The name of the first lane.
    ///   - hasDue: Whether a delivery of a lane is due.
    ///   - first: Returns the first delivery of a lane that is not due.
    package static func next(
        of lane: String, hasDue: (DeliveryLane) throws -> Bool, first: (DeliveryLane) throws -> WaitingDelivery?
    ) rethrows -> WaitingDelivery? {
        guard try !hasDue(.customer(lane)), let next = try first(.customer(lane)) else { return nil }
        guard let purchase = next.purchase else { return next }
        guard try !hasDue(.purchase(purchase)), try first(.purchase(purchase))?.id == next.id else { return nil }
        return next
    }

    /// Releases the lanes in which a delivery may be next after one has ended.
    ///
    /// - Parameters:
    ///   - lane: The name of the first lane of the ended delivery.
    ///   - purchase: The name of its second lane.
    package static func release(
        after lane: String, _ purchase: String?, first: (DeliveryLane) throws -> WaitingDelivery?,
        release: (_ lane: String) throws -> Void
    ) rethrows {
        try release(lane)
        guard let purchase, let next = try first(.purchase(purchase)), !next.lane.isExactly(lane) else { return }
        try release(next.lane)
    }
}

/// A delivery that is not due, because it waits for others of its lanes.
package struct WaitingDelivery: Sendable, Hashable, Comparable {
    package var id: Int64
    /// The name of its first lane.
    package var lane: String
    /// The name of the purchase's lane, if the event is about a purchase.
    package var purchase: String?
    /// When the event occurred.
    package var happenedAt: Milliseconds

    package init(id: Int64, lane: String, purchase: String?, happenedAt: Milliseconds) {
        (self.id, self.lane, self.purchase, self.happenedAt) = (id, lane, purchase, happenedAt)
    }

    /// The order in a lane.
    package static func < (one: Self, other: Self) -> Bool {
        (one.happenedAt, one.id) < (other.happenedAt, other.id)
    }
}
