internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import Hummingbird
internal import Ledger

/// A member of a segment in responses. Its state agrees with the response about its customer.
struct SegmentItem {
    static let day: Milliseconds = 86_400_000

    let member: SegmentMember
    let appEnvironment: AppEnvironment
    let subscription: SubscriptionState?
    let purchase: PurchaseState?
    /// The number of whole days left; nil if the members of the segment do not end by themselves.
    let daysLeft: Int64?

    init(
        _ member: SegmentMember, _ segment: Segment, _ appEnvironment: AppEnvironment, _ engine: EntitlementEngine,
        now: Date
    ) {
        let states = engine.currentState(of: member.lineage.facts(), now: now)
        self.member = member
        self.appEnvironment = appEnvironment
        subscription = states.subscriptions.first
        purchase = states.purchases.last { $0.revocationDate?.milliseconds == member.since } ?? states.purchases.last
        // In a damaged ledger, the end may be at the limit of integers.
        let left = member.until.map { max(0, Double($0) - Double(now.milliseconds)) }
        daysLeft = segment.endsWithTime ? left.map { Int64($0 / Double(Self.day)) } : nil
    }

    private var transactionID: String? { subscription?.transactionID ?? purchase?.transactionID }
    private var productID: String? { subscription?.productID ?? purchase?.productID }

    func write(to json: inout JSONWriter) {
        json.object("segment_member") { json in
            json.member("original_transaction_id", member.lineage.originalTransactionID)
            json.members(of: appEnvironment)
            json.member("transaction_id", transactionID)
            json.member("product_id", productID)
            json.member("subscription_group_identifier", subscription?.subscriptionGroupIdentifier)
            json.member("since", member.since)
            json.member("until", member.until)
            json.member("days_left", daysLeft)
            json.member("reason", member.reason?.rawValue)
            json.member("will_renew", subscription?.willRenew)
            if let offers = subscription?.eligibleWinBackOfferIDs, !offers.isEmpty {
                json.member("eligible_win_back_offer_ids", offers) { $0.string($1) }
            }
            json.member("next_step", subscription?.nextStep.rawValue)
            json.member("customers", member.owners) { $0.string($1) }
        }
    }
}

extension SegmentItem {
    private static let columns = [
        "original_transaction_id", "app", "environment", "transaction_id", "product_id",
        "subscription_group_identifier", "since", "until", "days_left", "reason", "will_renew",
        "eligible_win_back_offer_ids", "next_step", "customers",
    ]

    /// A cell for each of ``columns``. Instants are ISO 8601. Several values are separated by line feeds, which no
    /// customer identifier contains.
    private var cells: [String?] {
        [
            member.lineage.originalTransactionID, appEnvironment.bundleID, appEnvironment.environment.rawValue,
            transactionID, productID, subscription?.subscriptionGroupIdentifier,
            member.since.map(InstantText.text), member.until.map(InstantText.text),
            daysLeft.map { String($0) }, member.reason?.rawValue, subscription?.willRenew.map { String($0) },
            subscription?.eligibleWinBackOfferIDs.joined(separator: "\n"), subscription?.nextStep.rawValue,
            member.owners.isEmpty ? nil : member.owners.joined(separator: "\n"),
        ]
    }

    /// Returns a table with the names of its columns.
    static func csv(_ items: [SegmentItem], named name: String, next: SegmentPosition?, from request: Request)
        -> Response
    {
        var csv = CSVWriter(columns: columns)
        for item in items { csv.row(item.cells) }
        return csv.response(named: name, next: next.map { link(to: $0, named: name, from: request) })
    }

    /// Returns the URL of the same request for another page.
    private static func link(to position: SegmentPosition, named name: String, from request: Request) -> String {
        var query = [("format", "csv"), ("page", position.token(in: name))]
        for parameter in ["app", "environment", "within_days", "reason", "limit"] {
            if let value = request.parameter(parameter) { query.append((parameter, value)) }
        }
        return "/v1/segments/\(name)?" + String(queryOf: query)
    }
}
