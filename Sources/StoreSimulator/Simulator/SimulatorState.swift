package import AppStoreModels
package import Foundation

/// The mutable state of a simulator: both stores, their clock and the faults. A value type, so that it can be saved and
/// restored.
package struct SimulatorState: Sendable, Codable {
    package var clock: SimulatedClock
    package var production: Store
    package var sandbox: Store
    package var faults: FaultRegistry
    /// The number of times that the state was replaced. Notification numbers are valid within one epoch.
    var epoch = 0

    /// The format version of snapshots. Only snapshots of this version can be read.
    private static let currentVersion = 5
    private let version = Self.currentVersion

    private enum CodingKeys: String, CodingKey { case version, clock, production, sandbox, faults }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decode(Int.self, forKey: .version)
        guard version == Self.currentVersion else {
            throw SimulatorError(
                .unsupportedSnapshot,
                """
                the snapshot has format version \(version); this simulator reads only version \(Self.currentVersion): \
                restore it with the version that saved it, or save it again
                """)
        }
        clock = try container.decode(SimulatedClock.self, forKey: .clock)
        production = try container.decode(Store.self, forKey: .production)
        sandbox = try container.decode(Store.self, forKey: .sandbox)
        faults = try container.decode(FaultRegistry.self, forKey: .faults)
        // Commands would be refused at a time outside the supported range.
        do { _ = try production.instant(clock.now()) } catch { throw SnapshotTemplates.damaged }
    }

    package init(_ configuration: SimulatorConfiguration, real: Date) {
        clock = SimulatedClock(configuration.clock, real: real)
        faults = FaultRegistry(seed: configuration.seed, randomFaults: configuration.randomFaults)
        func store(_ environment: AppStoreEnvironment) -> Store {
            var settings = environment == .sandbox ? configuration.sandbox : configuration.production
            if case .accelerated(let rate) = configuration.clock { settings.rate = rate }
            return Store(
                environment: environment, app: configuration.app, catalogue: configuration.catalogue,
                settings: settings, seed: configuration.seed)
        }
        production = store(.production)
        sandbox = store(.sandbox)
    }

    package subscript(environment: AppStoreEnvironment) -> Store {
        // `_modify` avoids copying the store for every change.
        get { environment == .sandbox ? sandbox : production }
        _modify { if environment == .sandbox { yield &sandbox } else { yield &production } }
    }

    /// The result of processing one event or delivery.
    enum Step {
        case happened
        case send(DeliveryAttempt)
        /// The next event must wait for a notification that is in flight.
        case wait
        case done
    }

    /// Processes the next event or delivery that is due by `target`. While notifications are in flight, the time must
    /// stay before `limit`; nil if none is in flight.
    ///
    /// The clock advances with each event, so a receiver that calls the API during a delivery sees the time of the
    /// event. The order of events and the faults are decided here; they do not depend on which response arrives first.
    mutating func step(until target: Date, limit: Date?) -> Step {
        var earliest: (date: Date, environment: AppStoreEnvironment, isStoreEvent: Bool)?
        func consider(_ date: Date?, _ environment: AppStoreEnvironment, _ isStoreEvent: Bool) {
            guard let date, date <= target, earliest.map({ date < $0.date }) ?? true else { return }
            earliest = (date, environment, isStoreEvent)
        }
        consider(production.schedule.next, .production, true)
        consider(production.deliveries.next, .production, false)
        consider(sandbox.schedule.next, .sandbox, true)
        consider(sandbox.deliveries.next, .sandbox, false)
        guard let earliest else {
            if limit != nil { return .wait }
            clock.advance(to: target)
            return .done
        }
        if let limit, earliest.date >= limit { return .wait }
        clock.advance(to: earliest.date)
        if earliest.isStoreEvent {
            self[earliest.environment].runNext(dueBy: earliest.date)
            return .happened
        }
        guard let entry = self[earliest.environment].deliveries.pop(dueBy: earliest.date),
            case .delivery(let number) = entry.event,
            let attempt = attempt(number, in: earliest.environment, planned: entry.date)
        else { return .happened }
        return .send(attempt)
    }

    /// The time of the next scheduled event or delivery.
    var next: Date? {
        [production.schedule.next, production.deliveries.next, sandbox.schedule.next, sandbox.deliveries.next]
            .compactMap { $0 }.min()
    }

    /// The next scheduled event or delivery, with a description.
    var upcoming: Store.UpcomingEvent? {
        var sandboxed = [sandbox.upcoming, sandbox.upcomingDelivery].compactMap { $0 }
        for index in sandboxed.indices { sandboxed[index].event += ", in the sandbox" }
        return ([production.upcoming, production.upcomingDelivery].compactMap { $0 } + sandboxed)
            .min { $0.date < $1.date }
    }
}
