internal import AppStoreModels
internal import Basics
internal import Foundation
internal import WebConsole

extension SimulatorPanel {
    /// Returns the page of a customer: a timeline of periods, transactions, forms, and the data on a device.
    func customer(_ name: String, _ request: PanelRequest) throws -> PanelContent {
        let state = try simulator.state(of: name, in: request.environment)
        let (history, count, now) = core.read(request.environment) { store, now in
            let all = store.transactions(of: name)
            return (all.suffix(Self.maximumTransactions), all.count, now)
        }
        let rows = rows(of: Array(history), state, now)
        let bars = TimeBars(rows, now: now)
        let leftOut = TimeBars.omissions(from: rows)
        let link: (Date) -> PageLink = { date in
            request.link(request.page, [("to", date.formatted(.iso8601.year().month().day()))])
        }
        let facts: [PageValue] = [
            ["title": "Storefront", "value": .text(state.storefront)],
            ["title": "Account token", "value": .text(state.appAccountToken ?? "none")],
            ["title": "App transaction", "value": .text(state.appTransactionID)],
            ["title": "Payment method", "value": .text(state.isBillingFailing ? "fails" : "works")],
        ]
        let family: [PageValue] = state.family.map {
            ["url": .link(request.link(.customer($0))), "name": .foreign($0, limit: 60)]
        }
        // Updates of an open page do not include the device section. Reading a device's texts signs them, which counts
        // as a change, so each update would cause another one.
        let held: PageValue = try request.query.contains("fragment") ? .nothing : device(of: name, request)
        return PanelContent(
            template: "customer", heading: "Customer", foreignHeading: name,
            values: [
                "summary": .foreign(state.summary, limit: 500), "facts": .list(facts),
                "family": family.isEmpty ? .nothing : .object(["members": .list(family)]),
                "bars": history.isEmpty
                    ? .nothing
                    : .drawing(
                        bars.drawing(
                            title: "Periods of \(name)",
                            summary: "\(history.count) \(history.count.noun("transaction")); the table lists them all.",
                            link: link)),
                "kinds": bars.legend, "leftOut": leftOut.isEmpty ? .nothing : .text(leftOut),
                "hasBars": .flag(!history.isEmpty),
                "subscriptions": .list(state.subscriptions.map { Self.row($0, now) }),
                "hasSubscriptions": .flag(!state.subscriptions.isEmpty),
                "transactions": .list(history.reversed().map { row($0, request, now) }),
                "older": count > history.count
                    ? .text("These are the last \(history.count) of \(count.grouped). The control API has them all.")
                    : .nothing,
                "forms": .list(customerForms(name, state, request).map { $0.value(request, self.state) }),
                "buy": buyForm(request, customer: name).value(request, self.state),
                "device": held,
            ],
            api: "GET {base}/\(request.environmentName)/customers/\(name.percentEncoded)",
            command: "counterfoil simulator customers \(name.shellWord)" + request.environmentOption)
    }

    /// The maximum number of transactions on the page.
    private static let maximumTransactions = 500

    private static func row(_ subscription: CustomerState.SubscriptionState, _ now: Date) -> PageValue {
        let look =
            switch subscription.status {
            case .active: "good"
            case .billingGracePeriod: "warn"
            default: "bad"
            }
        let renews = subscription.autoRenewStatus == .on
        // A refund or revocation ends access before its planned end.
        let end = subscription.gracePeriodExpiresDate ?? subscription.expiresDate
        return [
            "product": .foreign(subscription.productID, breaksNames: true),
            "word": .text(subscription.status.name?.replacing("_", with: " ") ?? ""), "look": .text(look),
            "until": .time([subscription.revocationDate, end].compactMap(\.self).min(), now: now),
            "renewal": .foreign(
                renews ? "renews into \(subscription.autoRenewProductID)" : "does not renew", breaksNames: true),
            "original": .text(subscription.originalTransactionID),
        ]
    }

    private func row(_ stored: StoredTransaction, _ request: PanelRequest, _ now: Date) -> PageValue {
        let payload = stored.payload
        // Shared and assigned transactions are revoked without a refund.
        let revoked = payload.inAppOwnershipType == .purchased ? "refunded" : "revoked"
        return [
            "url": .link(request.link(request.page, [("text", payload.transactionId)])),
            "id": .text(payload.transactionId), "product": .foreign(payload.productId, breaksNames: true),
            "bought": .time(payload.purchaseDate, now: now), "expires": .time(payload.expiresDate),
            "price": .text(payload.price.map { PriceText.price($0, payload.currency ?? "") } ?? ""),
            "remark": .text(
                [
                    payload.revocationDate.map { "\(revoked) \($0.consoleText)" },
                    payload.isUpgraded == true ? "upgraded" : nil,
                    payload.offerDiscountType?.words, payload.inAppOwnershipType == .familyShared ? "shared" : nil,
                    stored.isFinished ? "finished" : nil,
                ].compactMap { $0 }.joined(separator: ", ")),
        ]
    }

    private static func kind(of payload: JWSTransactionDecodedPayload) -> TimeBars.Kind {
        if payload.revocationDate != nil { return .refunded }
        if payload.isUpgraded == true { return .upgraded }
        if payload.expiresDate == nil { return .once }
        // A shared period has the price 0, and is no trial.
        return payload.offerDiscountType == .freeTrial ? .trial : .paid
    }

    /// Returns the rows of the timeline: one for each subscription and one for each other product.
    private func rows(of history: [StoredTransaction], _ state: CustomerState, _ now: Date) -> [TimeBars.Row] {
        var order: [String] = []
        var bars: [String: [TimeBars.Bar]] = [:]
        var products: [String: String] = [:]
        for stored in history {
            let payload = stored.payload
            let key = stored.isSubscription ? payload.originalTransactionId : payload.productId
            if bars[key] == nil { order.append(key) }
            products[key] = payload.productId
            let label =
                "\(payload.productId), \(payload.purchaseDate.consoleText) to \(payload.expiresDate?.consoleText ?? "ever")"
            // A revocation after the end of a period does not extend the period.
            let revoked = payload.revocationDate.map { min($0, payload.expiresDate ?? $0) }
            var row = bars[key] ?? []
            // An upgrade starts at once and ends the running period. One that was charged in advance never begins.
            for index in row.indices where row[index].kind == .upgraded {
                let shortest = row[index].start + 1
                row[index].end = row[index].end.map { max(shortest, min($0, payload.purchaseDate)) }
            }
            row.append(
                .init(
                    payload.purchaseDate,
                    revoked.map { max($0, payload.purchaseDate + 1) } ?? payload.expiresDate,
                    Self.kind(of: payload), label))
            bars[key] = row
        }
        for subscription in state.subscriptions where subscription.isInBillingRetryPeriod == true {
            guard let expires = subscription.expiresDate else { continue }
            let grace = subscription.gracePeriodExpiresDate
            if let grace {
                bars[subscription.originalTransactionID]?.append(.init(expires, grace, .grace, "Grace period"))
            }
            let start = grace ?? expires
            if now > start {
                bars[subscription.originalTransactionID]?.append(.init(start, now, .retry, "Billing retry"))
            }
        }
        return order.map { TimeBars.Row(products[$0] ?? $0, bars[$0] ?? []) }
    }
}
