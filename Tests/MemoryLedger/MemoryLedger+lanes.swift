internal import AppStoreModels
internal import Ledger

/// The order in which deliveries go to an endpoint: by the instant of the event, within the lane of the customer and
/// within the lane of the purchase.
extension MemoryLedger.State {
    func lane(of event: MemoryLedger.Numbered) -> String {
        DeliveryLane.name(
            customer: event.event.customer, purchase: event.event.originalTransactionID, event: event.number,
            in: event.event.scope)
    }

    private func purchase(of event: MemoryLedger.Numbered) -> String? {
        event.event.originalTransactionID.map { DeliveryLane.purchase($0, in: event.event.scope) }
    }

    // MARK: - Creating deliveries

    mutating func fanOut(
        to target: FanOutTarget, _ gate: FanOutLimit, _ limit: Int, at now: Milliseconds
    ) -> FanOutProgress {
        guard let endpoint = endpoints[target.endpoint] else { return .done }
        let begin = WebhookEndpoint.beginning(endpoint.begin, at: now)
        let candidates = numberedEvents.filter { $0.number > endpoint.cursor }.prefix(limit)
        var progress = candidates.count == limit ? FanOutProgress.more : .done
        var (lanes, made) = (Set<ExactText>(), 0)
        for candidate in candidates {
            if isHeld(candidate.event, gate) {
                progress = .held
                break
            }
            endpoints[target.endpoint]?.cursor = candidate.number
            if candidate.event.occurredAt >= begin {
                let variants = add(candidate, to: target, at: now, &lanes)
                made += variants
                if variants > 0, candidate.event.isLate {
                    made += addResentEvents(after: candidate, to: target, begin: begin, at: now, &lanes) {
                        $0.number < candidate.number
                    }
                }
            }
            if made >= limit {
                progress = .more
                break
            }
        }
        for lane in lanes.sorted() { release(lane.text, to: target.endpoint, due: progress == .more ? nil : now) }
        return progress
    }

    mutating func replay(_ range: ReplayRange, to target: FanOutTarget, at now: Milliseconds) -> ReplayOutcome {
        var outcome = ReplayOutcome(deliveries: 0)
        guard let endpoint = endpoints[target.endpoint] else { return outcome }
        let wanted = wanted(range, by: target)
        let (cursor, begin) = (endpoint.cursor, WebhookEndpoint.beginning(endpoint.begin, at: now))
        var (lanes, purchases): (Set<ExactText>, Set<ExactText>) = ([], [])
        for event in wanted {
            outcome.deliveries += add(event, to: target, at: now, &lanes)
            if let purchase = purchase(of: event) { purchases.insert(ExactText(purchase)) }
            _ = addResentEvents(after: event, to: target, begin: begin, at: now, &lanes) {
                $0.number <= cursor && !range.contains($0)
            }
            guard outcome.deliveries < range.limit else {
                outcome.last = event.number
                break
            }
        }
        // A replay implies that the endpoint works again, so its delayed deliveries become due.
        for delivery in deliveries.values where delivery.endpoint == target.endpoint {
            guard let due = delivery.due, due > now,
                lanes.contains(ExactText(delivery.lane))
                    || delivery.purchase.map({ purchases.contains(ExactText($0)) }) ?? false
            else { continue }
            deliveries[delivery.id]?.due = now
        }
        for lane in lanes.sorted() { release(lane.text, to: target.endpoint, due: nil) }
        return outcome
    }

    /// The events of a range that the target accepts.
    func wanted(_ range: ReplayRange, by target: FanOutTarget) -> [MemoryLedger.Numbered] {
        numberedEvents.filter { range.contains($0) && target.deliveries($0.event.type, $0.event.scope) > 0 }
    }

    private mutating func add(
        _ event: MemoryLedger.Numbered, to target: FanOutTarget, at now: Milliseconds, _ lanes: inout Set<ExactText>
    ) -> Int {
        let variants = max(0, target.deliveries(event.event.type, event.event.scope))
        for variant in 0..<variants { addDelivery(of: event, variant: variant, to: target.endpoint, at: now) }
        if variants > 0 { lanes.insert(ExactText(lane(of: event))) }
        return variants
    }

    /// Repeats newer events of the same purchase if `needsRepeat` is true for them and no delivery of theirs waits.
    private mutating func addResentEvents(
        after late: MemoryLedger.Numbered, to target: FanOutTarget, begin: Milliseconds, at now: Milliseconds,
        _ lanes: inout Set<ExactText>, where needsRepeat: (MemoryLedger.Numbered) -> Bool
    ) -> Int {
        var made = 0
        for newer in newer(than: late.event) where newer.event.occurredAt >= begin && needsRepeat(newer) {
            let waits = deliveries.values.contains {
                $0.endpoint == target.endpoint && $0.event == newer.number && $0.variant == 0 && $0.state == .pending
                    && $0.due == nil
            }
            guard !waits else { continue }
            // The purchase may belong to another customer by now.
            let lane = lane(of: late)
            let variants = max(0, target.deliveries(newer.event.type, newer.event.scope))
            for variant in 0..<variants {
                addDelivery(of: newer, variant: variant, to: target.endpoint, in: lane, isRepeat: true, at: now)
            }
            if variants > 0 { lanes.insert(ExactText(lane)) }
            made += variants
        }
        return made
    }

    @discardableResult
    mutating func addDelivery(
        of event: MemoryLedger.Numbered, variant: Int, to endpoint: Int64, in lane: String? = nil,
        isRepeat: Bool = false, at now: Milliseconds
    ) -> Int64 {
        let id = (deliveries.keys.max() ?? 0) + step
        deliveries[id] = MemoryLedger.Delivery(
            id: id, endpoint: endpoint, event: event.number, variant: variant, lane: lane ?? self.lane(of: event),
            purchase: purchase(of: event), happenedAt: event.event.occurredAt, isRepeat: isRepeat, createdAt: now)
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

extension ReplayRange {
    fileprivate func contains(_ event: MemoryLedger.Numbered) -> Bool {
        contains(event: event.number, createdAt: event.event.createdAt)
    }
}
