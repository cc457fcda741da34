internal import AppStoreModels
internal import Foundation

extension CustomerStatesBuilder {
    /// Returns the groups, sorted by identifier.
    func groups() -> [GroupState] {
        let subscriptions = states.subscriptions
        var order: [(group: String, index: Int)] = []
        for index in subscriptions.indices {
            if let group = subscriptions[index].subscriptionGroupIdentifier { order.append((group, index)) }
        }
        if order.count > 1 {
            order.sort { one, other in
                if !one.group.isExactly(other.group) { return one.group.precedesExactly(other.group) }
                return hasPriority(subscriptions[one.index], over: subscriptions[other.index])
            }
        }
        var groups: [GroupState] = []
        for (group, index) in order {
            if groups.last?.subscriptionGroupIdentifier.isExactly(group) != true {
                groups.append(GroupState(group, subscriptions[index]))
            }
            if subscriptions[index].isSubscribed { groups[groups.count - 1].isEligibleForIntroductoryOffer = false }
        }
        let introduced = Set(groupsWithIntroductoryOffer.map { ExactText($0) })
        for index in groups.indices where introduced.contains(ExactText(groups[index].subscriptionGroupIdentifier)) {
            groups[index].isEligibleForIntroductoryOffer = false
        }
        return groups
    }

    /// Adds the groups in which the customer never had a subscription, so that a paywall can offer them.
    func addNewGroups(to groups: inout [GroupState]) {
        guard !engine.groups.isEmpty || !facts.facts.groups.isEmpty else { return }
        // A customer has few groups, mostly all that there are.
        func isMissing(_ group: String) -> Bool {
            !groups.contains { $0.subscriptionGroupIdentifier.isExactly(group) }
        }
        var missing: Set<ExactText> = []
        for group in engine.groups where isMissing(group.text) { missing.insert(group) }
        for group in facts.facts.groups where isMissing(group) { missing.insert(ExactText(group)) }
        guard !missing.isEmpty else { return }
        groups += missing.map { GroupState(new: $0.text) }
        groups.sort { $0.subscriptionGroupIdentifier.precedesExactly($1.subscriptionGroupIdentifier) }
    }

    private func hasPriority(_ one: SubscriptionState, over other: SubscriptionState) -> Bool {
        if one.rank != other.rank { return one.rank < other.rank }
        if one.hasAccess {
            let (level, otherLevel) = (engine.level(of: one.productID), engine.level(of: other.productID))
            if level != otherLevel { return level < otherLevel }
        }
        let (end, otherEnd) = (one.accessUntil ?? one.expiresDate, other.accessUntil ?? other.expiresDate)
        if end != otherEnd { return end ?? .distantPast > otherEnd ?? .distantPast }
        return TransactionFact.identifier(other.originalTransactionID, isBefore: one.originalTransactionID)
    }
}

extension SubscriptionState {
    /// Whether the App Store considers the customer subscribed, including unpaid subscriptions in billing retry.
    fileprivate var isSubscribed: Bool { hasAccess || status == .billingRetry }

    /// Access comes first. Without it, what the customer bought comes before what others shared: only for the former can
    /// the customer pay or use an offer.
    fileprivate var rank: Int {
        hasAccess ? 0 : (ownership == .purchased ? 1 : 3) + (status == .billingRetry ? 0 : 1)
    }
}

extension GroupState {
    fileprivate init(_ identifier: String, _ subscription: SubscriptionState) {
        self.init(
            subscriptionGroupIdentifier: identifier, state: subscription.hasAccess ? .active : .inactive,
            details: subscription.details, until: subscription.accessUntil, productID: subscription.productID,
            originalTransactionID: subscription.originalTransactionID, isEligibleForIntroductoryOffer: true,
            nextStep: subscription.nextStep)
    }
}
