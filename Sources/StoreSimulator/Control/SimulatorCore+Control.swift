package import AppStoreModels
internal import Basics
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
                next: upcoming?.date, nextEvent: upcoming?.event)
        }
    }

    func target(of advance: ClockAdvance) throws(ControlFailure) -> Date {
        switch (advance.by, advance.to) {
        case (let by?, nil):
            guard let duration = TypedDuration(by) else {
                throw ControlFailure(invalid: "by is a duration such as 31d or P13M", param: "by")
            }
            return duration.after(now)
        case (nil, let to?): return to
        default: throw ControlFailure(invalid: "exactly one of by and to is required")
        }
    }

    /// Returns the signed transactions and the signed app transaction of a customer.
    func purchases(of id: String, in environment: AppStoreEnvironment) throws -> DevicePurchases {
        let (transactions, appTransaction) = try change(environment) { store, now throws(StoreError) in
            // Process due events first, so that they are signed before the data that is returned.
            store.run(until: now)
            let customer = try store.customer(id)
            let signed = store.signingDate(at: now)
            let transactions = customer.transactions.compactMap { store.transactions[$0]?.payload }.map { payload in
                var payload = payload
                payload.signedDate = signed
                return payload
            }
            return (transactions, store.appTransaction(of: customer, at: now))
        }
        let signer = authority.signer
        return DevicePurchases(
            signedTransactions: try transactions.map { try signer.sign($0) },
            signedAppTransactionInfo: try signer.sign(appTransaction))
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

    /// Schedules another delivery of a notification, due now.
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

    /// Returns a page of notifications, oldest first. The query parameters `customer` and `notificationUUID` select
    /// those of one customer, and a single one.
    func notificationPage(_ request: ControlRequest) throws -> ControlList<NotificationSummaryLine> {
        let (customer, uuid) = (request.query["customer"], request.query["notificationUUID"])
        return try read(request.environment) { store, _ in
            let selected: [Int]
            if let uuid {
                selected = [UUID(text: uuid).flatMap { store.notificationsByUUID[$0] }].compactMap(\.self)
            } else {
                selected = Array(store.notifications.indices)
            }
            let numbers = selected.filter { customer == nil || store.notifications[$0].customer == customer }
            return try request.page(numbers, by: \.self).map {
                NotificationSummaryLine(store.notifications[$0], number: $0)
            }
        }
    }

    /// Returns a page of customers, ordered by name. Reads only the state of these customers.
    func customerPage(_ request: ControlRequest) throws -> ControlList<CustomerState> {
        try read(request.environment) { store, now in
            try request.page(store.customers.keys.sorted(), by: \.self).map { try store.state(of: $0, at: now) }
        }
    }

    /// Changes the settings that `changes` has, and returns all settings. Reads and writes under one lock, so that
    /// concurrent changes of other settings are not lost.
    func merge(_ changes: JSONValue, in environment: AppStoreEnvironment) throws -> StoreSettings {
        try change(environment) { store, _ in
            let settings = try store.settings.merging(changes)
            store.settings = settings
            return settings
        }
    }

    func setNotificationURL(_ url: String?, in environment: AppStoreEnvironment) throws(ControlFailure) {
        guard url.map(StoreSettings.isURL) ?? true else {
            throw ControlFailure(invalid: "url is an http or https URL", param: "url")
        }
        change(environment) { store, _ in store.settings.notificationURL = url }
    }

    var faults: [FaultRegistry.Entry] { state.withLock { $0.faults.entries } }
}

extension StoreSettings {
    /// Throws if a URL, duration or limit is out of range.
    ///
    /// - Parameter names: The durations and limits to check, by their names in JSON; nil for all.
    func check(_ names: Set<String>? = nil) throws(ControlFailure) {
        guard notificationURL.map(Self.isURL) ?? true else {
            throw ControlFailure(invalid: "notificationURL is an http or https URL", param: "notificationURL")
        }
        let day: TimeInterval = 86_400
        let limits: [(name: String, value: Double, range: ClosedRange<Double>, text: String)] = [
            ("deliveryTimeout", deliveryTimeout, 0.01...600, "0.01 to 600 seconds"),
            ("realtimeTimeout", realtimeTimeout, 0.001...3600, "0.001 to 3600 seconds"),
            ("consumptionWindow", consumptionWindow, 0...30 * day, "up to 30 days, in seconds"),
            ("massExtensionDuration", massExtensionDuration, 0...30 * day, "up to 30 days, in seconds"),
            ("maximumRenewalLeadTime", maximumRenewalLeadTime, 0...10 * day, "up to 10 days, in seconds"),
            ("maximumRenewalDelay", maximumRenewalDelay, 0...30 * day, "up to 30 days, in seconds"),
            ("renewalCap", Double(renewalCap ?? 0), 0...100_000, "0 to 100000"),
        ]
        for limit in limits where names?.contains(limit.name) != false && !limit.range.contains(limit.value) {
            throw ControlFailure(invalid: "\(limit.name) is \(limit.text)", param: limit.name)
        }
    }

    /// Whether `text` is an HTTP or HTTPS URL with a host, of up to 2,048 bytes.
    static func isURL(_ text: String) -> Bool {
        text.utf8.count <= 2048 && URL(string: text)?.isHTTP == true
    }
}
