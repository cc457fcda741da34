internal import AppStoreModels
internal import Ledger

/// The order in which deliveries go to an endpoint: by the instant of the event, within the lane of the customer and
/// within the lane of the purchase.
extension MemoryLedger.State {
    // MARK: - Creating deliveries

    mutating func fanOut(
        to target: FanOutTarget, _ gate: FanOutLimit, _ limit: Int, at now: Milliseconds
    ) -> FanOutProgress {
        guard let endpoint = endpoints[target.endpoint] else { return .done }
        let candidates = numberedEvents.filter { $0.number > endpoint.cursor }.prefix(limit)
        let (plan, progress) = DeliveryPlan.fanOut(
            Array(candidates), to: target, from: WebhookEndpoint.beginning(endpoint.begin, at: now), limit: limit,
            holds: { isHeld($0.event, gate) }, newer: { newer(than: $0.event) },
            isWaiting: { isWaiting($0, for: target.endpoint) })
        for delivery in plan.deliveries { add(delivery, to: target.endpoint, at: now) }
        for lane in Set(plan.deliveries.map { ExactText($0.lane) }).sorted() {
            release(lane.text, to: target.endpoint, due: progress == .more ? nil : now)
        }
        if let last = plan.last { endpoints[target.endpoint]?.cursor = last }
        return progress
    }

    mutating func replay(_ range: ReplayRange, to target: FanOutTarget, at now: Milliseconds) -> ReplayOutcome {
        guard let endpoint = endpoints[target.endpoint] else { return ReplayOutcome(deliveries: 0) }
        let plan = DeliveryPlan.replay(
            numberedEvents.filter { range.contains($0, for: target) }, of: range, making: range.limit, to: target,
            from: WebhookEndpoint.beginning(endpoint.begin, at: now), through: endpoint.cursor,
            newer: { newer(than: $0.event) }, isWaiting: { isWaiting($0, for: target.endpoint) })
        for delivery in plan.deliveries { add(delivery, to: target.endpoint, at: now) }
        let lanes = Set(plan.deliveries.map { ExactText($0.lane) })
        let purchases = Set(plan.deliveries.compactMap { $0.event.purchase.map { ExactText($0) } })
        // A replay implies that the endpoint works again, so its delayed deliveries become due.
        for delivery in deliveries.values where delivery.endpoint == target.endpoint {
            guard let due = delivery.due, due > now,
                lanes.contains(ExactText(delivery.lane))
                    || delivery.purchase.map({ purchases.contains(ExactText($0)) }) ?? false
            else { continue }
            deliveries[delivery.id]?.due = now
        }
        for lane in lanes.sorted() { release(lane.text, to: target.endpoint, due: nil) }
        return outcome(of: plan, limit: range.limit)
    }

    func outcome(of plan: DeliveryPlan<MemoryLedger.Numbered>, limit: Int) -> ReplayOutcome {
        ReplayOutcome(deliveries: plan.made, last: plan.made < limit ? nil : plan.last)
    }

    /// Whether an event has a delivery that was never due.
    private func isWaiting(_ event: MemoryLedger.Numbered, for endpoint: Int64) -> Bool {
        deliveries.values.contains {
            $0.endpoint == endpoint && $0.event == event.number && $0.variant == 0 && $0.state == .pending
                && $0.due == nil
        }
    }

    /// Stores a delivery; returns its row identifier.
    @discardableResult
    mutating func add(
        _ delivery: DeliveryPlan<MemoryLedger.Numbered>.Delivery, to endpoint: Int64, at now: Milliseconds
    ) -> Int64 {
        let (id, event) = ((deliveries.keys.max() ?? 0) + step, delivery.event)
        deliveries[id] = MemoryLedger.Delivery(
            id: id, endpoint: endpoint, event: event.number, variant: delivery.variant, lane: delivery.lane,
            purchase: event.purchase, happenedAt: event.happenedAt, isRepeat: delivery.isRepeat, createdAt: now)
        return id
    }

    // MARK: - Releasing deliveries

    /// Chooses the next delivery of a lane, unless one of the lane or of its purchase is due. The delivery becomes due
    /// at `due` or, if `due` is nil, is only marked as the next.
    mutating func release(_ lane: String, to endpoint: Int64, due: Milliseconds?) {
        let next = DeliveryLane.next(
            of: lane,
            hasDue: { lane in waiting(in: lane, to: endpoint).contains { $0.due != nil } },
            first: { first(in: $0, to: endpoint) })
        guard let next else { return }
        let lanes = [DeliveryLane.customer(lane)] + (next.purchase.map { [DeliveryLane.purchase($0)] } ?? [])
        for other in lanes.flatMap({ waiting(in: $0, to: endpoint) }) { deliveries[other.id]?.isNext = false }
        deliveries[next.id]?.markNext(dueAt: due)
    }

    /// The first delivery of a lane that is not due.
    func first(in lane: DeliveryLane, to endpoint: Int64) -> WaitingDelivery? {
        waiting(in: lane, to: endpoint).filter { $0.due == nil }.map {
            WaitingDelivery(id: $0.id, lane: $0.lane, purchase: $0.purchase, happenedAt: $0.happenedAt)
        }.min()
    }

    /// The pending deliveries of a lane.
    private func waiting(in lane: DeliveryLane, to endpoint: Int64) -> [MemoryLedger.Delivery] {
        deliveries.values.filter { delivery in
            guard delivery.endpoint == endpoint, delivery.state == .pending else { return false }
            switch lane {
            case .customer(let name): return delivery.lane.isExactly(name)
            case .purchase(let name): return delivery.purchase?.isExactly(name) ?? false
            }
        }
    }
}
