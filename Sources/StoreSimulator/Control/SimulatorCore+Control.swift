package import AppStoreModels
internal import Foundation
internal import Synchronization

extension SimulatorCore {
    var clockReading: ClockReading {
        state.withLock { state in
            let mode = state.clock.isFrozen ? "frozen" : configuration.clock == .real ? "real" : "accelerated"
            let upcoming = state.upcoming
            return ClockReading(
                now: state.clock.now(), mode: mode,
                lastSigned: [state.production.lastSigned, state.sandbox.lastSigned].compactMap { $0 }.max(),
                next: upcoming?.date, nextEvent: upcoming?.what)
        }
    }

    func target(of advance: ClockAdvance) throws(ControlFailure) -> Date {
        switch (advance.by, advance.to) {
        case (let by?, nil):
            guard let duration = TypedDuration(by) else {
                throw ControlFailure(400, "invalid_request", "by is a duration such as 31d or P13M", param: "by")
            }
            return duration.after(now)
        case (nil, let to?): return to
        default: throw ControlFailure(400, "invalid_request", "either by or to says how far")
        }
    }

    /// Everything that an app on the customer's device holds.
    func purchases(of id: String, in environment: AppStoreEnvironment) throws -> DevicePurchases {
        let (transactions, appTransaction) = try change(environment) { store, now throws(StoreError) in
            // What is due is signed before what is read.
            store.run(until: now)
            let customer = try store.customer(id)
            let signed = store.signature(at: now)
            let transactions = customer.transactions.compactMap { store.transactions[$0]?.payload }.map { payload in
                var payload = payload
                payload.signedDate = signed
                return payload
            }
            return (transactions, store.appTransaction(of: customer, at: now))
        }
        let writer = writer(environment)
        return DevicePurchases(
            signedTransactions: try transactions.map { try writer.sign($0.jsonBytes(), Tampering()) },
            signedAppTransactionInfo: try writer.sign(appTransaction.jsonBytes(), Tampering()))
    }

    func notification(_ request: ControlRequest) throws -> (AppStoreEnvironment, Int) {
        let environment = try request.environment
        let uuid = try request.parameter("notificationUUID").lowercased()
        guard let id = UUID(text: uuid),
            let number = read(environment, { store, _ in store.notificationsByUUID[id] })
        else {
            throw ControlFailure(404, "unknown_notification", "there is no notification \(uuid)")
        }
        return (environment, number)
    }

    /// Sends a notification once more, now.
    package func resend(_ number: Int, in environment: AppStoreEnvironment) throws {
        try change(environment) { store, now in
            guard store.settings.notificationURL != nil else {
                throw ControlFailure(409, "impossible_transition", "no URL for notifications is set")
            }
            store.resend(number, at: now)
        }
    }

    func notificationLine(_ number: Int, in environment: AppStoreEnvironment) throws(ControlFailure)
        -> NotificationSummaryLine
    {
        let line = read(environment) { store, _ in
            store.notifications.indices.contains(number)
                ? NotificationSummaryLine(store.notifications[number], number: number) : nil
        }
        guard let line else { throw ControlFailure(404, "unknown_notification", "the store was reset meanwhile") }
        return line
    }

    /// A page of notifications, the oldest first; of one customer, if the query names one.
    func notificationPage(_ request: ControlRequest) throws -> ControlList<NotificationSummaryLine> {
        let customer = request.query["customer"]
        return try read(request.environment) { store, _ in
            let numbers = store.notifications.indices.filter { index in
                customer == nil || store.notifications[index].customer == customer
            }
            let page = try request.page(numbers)
            return ControlList(
                items: page.items.map { NotificationSummaryLine(store.notifications[$0], number: $0) },
                nextPage: page.nextPage)
        }
    }

    /// A page of customers, by name. Only they are looked at.
    func customerPage(_ request: ControlRequest) throws -> ControlList<CustomerState> {
        try read(request.environment) { store, now in
            let names = try request.page(store.customers.keys.sorted())
            return ControlList(
                items: try names.items.map { try store.state(of: $0, at: now) }, nextPage: names.nextPage)
        }
    }

    func setNotificationURL(_ url: String?, in environment: AppStoreEnvironment) throws(ControlFailure) {
        guard url.map(StoreSettings.isURL) ?? true else {
            throw ControlFailure(400, "invalid_request", "url is an http or https URL", param: "url")
        }
        change(environment) { store, _ in store.settings.notificationURL = url }
    }

    var faults: [FaultLine] {
        state.withLock { state in
            state.faults.entries.map { FaultLine(number: $0.number, struck: $0.struck, fault: $0.fault) }
        }
    }
}

extension StoreSettings {
    /// Refuses what would make time or traffic go wrong.
    func check() throws(ControlFailure) {
        guard notificationURL.map(Self.isURL) ?? true else {
            throw ControlFailure(400, "invalid_request", "notificationURL is an http or https URL")
        }
        let day: TimeInterval = 86_400
        guard (0.01...600).contains(deliveryTimeout), (0...30 * day).contains(consumptionWindow),
            (0...30 * day).contains(massExtensionDuration), (0...10 * day).contains(renewalLead),
            (0...30 * day).contains(renewalDelay), renewalCap.map({ (0...100_000).contains($0) }) ?? true
        else {
            throw ControlFailure(
                400, "invalid_request",
                "deliveryTimeout is 0.01 to 600 s, consumptionWindow, massExtensionDuration and renewalDelay are up to 30 "
                    + "days, renewalLead up to 10, renewalCap is 0 to 100000")
        }
    }

    /// Whether notifications can be sent there.
    static func isURL(_ text: String) -> Bool {
        guard text.utf8.count <= 2048, let url = URL(string: text), url.host()?.isEmpty == false else { return false }
        return ["http", "https"].contains(url.scheme?.lowercased())
    }
}
