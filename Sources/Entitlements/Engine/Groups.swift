internal import AppStoreModels
internal import Foundation

extension CustomerFold {
    /// Returns the groups, sorted by identifier.
    func groups() -> [GroupState] {
        let subscriptions = states.subscriptions
        var order: [(group: String, index: Int)] = []
        for (index, subscription) in subscriptions.enumerated() {
            if let group = subscription.subscriptionGroupIdentifier { order.append((group, index)) }
        }
        if order.count > 1 {
            order.sort { one, other in
                if one.group != other.group { return one.group < other.group }
                return hasPriority(subscriptions[one.index], over: subscriptions[other.index])
            }
        }
        var groups: [GroupState] = []
        for (group, index) in order {
            let subscription = subscriptions[index]
            if groups.last?.subscriptionGroupIdentifier != group { groups.append(GroupState(group, subscription)) }
            if subscription.isSubscribed { groups[groups.count - 1].isEligibleForIntroductoryOffer = false }
        }
        let introduced = Set(groupsWithIntroductoryOffer)
        for index in groups.indices where introduced.contains(groups[index].subscriptionGroupIdentifier) {
            groups[index].isEligibleForIntroductoryOffer = false
        }
        return groups
    }

    /// Adds the groups in which the customer never had a subscription, so that a paywall can offer them.
    func addNewGroups(to groups: inout [GroupState]) {
        let known = engine.groups.isEmpty ? facts.facts.groups : engine.groups.union(facts.facts.groups)
        guard !known.isEmpty else { return }
        let missing = known.subtracting(groups.map(\.subscriptionGroupIdentifier))
        guard !missing.isEmpty else { return }
        groups += missing.map { GroupState(new: $0) }
        groups.sort { $0.subscriptionGroupIdentifier < $1.subscriptionGroupIdentifier }
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

    fileprivate var rank: Int { hasAccess ? 0 : status == .billingRetry ? 1 : 2 }
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
