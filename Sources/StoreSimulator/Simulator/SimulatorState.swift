package import AppStoreModels
package import Foundation

/// Everything about a simulator that changes: both stores, their clock, the faults. A value, so that it can be kept and
/// put back.
package struct SimulatorState: Sendable, Codable {
    package var clock: SimulatedClock
    package var production: Store
    package var sandbox: Store
    package var faults: FaultRegistry
    /// Counts how often the state was replaced. Numbers of notifications are good for one epoch.
    var epoch = 0

    /// The version of snapshots. Older ones are read as well: what they lack is as it is at the beginning. Since the third
    /// they are written a record at a time (``SnapshotFile``), since the fourth with payloads as they are kept in memory.
    private static let version = 4

    private enum CodingKeys: String, CodingKey { case version, clock, production, sandbox, faults }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // The first had none.
        let version = try container.decodeIfPresent(Int.self, forKey: .version) ?? 1
        guard version <= Self.version else {
            throw SimulatorError(
                "newer_snapshot", "the snapshot is of version \(version); this simulator reads up to \(Self.version)")
        }
        clock = try container.decode(SimulatedClock.self, forKey: .clock)
        production = try container.decode(Store.self, forKey: .production)
        sandbox = try container.decode(Store.self, forKey: .sandbox)
        production.derive()
        sandbox.derive()
        faults = try container.decode(FaultRegistry.self, forKey: .faults)
        // No command could be given at any other time.
        do { _ = try production.instant(clock.now()) } catch { throw SnapshotTemplates.damaged }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        try container.encode(clock, forKey: .clock)
        try container.encode(production, forKey: .production)
        try container.encode(sandbox, forKey: .sandbox)
        try container.encode(faults, forKey: .faults)
    }

    package init(_ configuration: SimulatorConfiguration, real: Date) {
        clock = SimulatedClock(configuration.clock, real: real)
        faults = FaultRegistry(seed: configuration.seed, disorder: configuration.disorder)
        func store(_ environment: AppStoreEnvironment) -> Store {
            var settings = configuration[environment]
            if case .accelerated(let rate) = configuration.clock { settings.rate = rate }
            return Store(
                environment: environment, app: configuration.app, catalogue: configuration.catalogue,
                settings: settings, seed: configuration.seed)
        }
        production = store(.production)
        sandbox = store(.sandbox)
    }

    package subscript(environment: AppStoreEnvironment) -> Store {
        // Without `_modify` every change would copy the store first.
        get { environment == .sandbox ? sandbox : production }
        _modify { if environment == .sandbox { yield &sandbox } else { yield &production } }
    }

    /// Something to do: let a thing happen, or send a notification.
    enum Step {
        case happened
        case send(DeliveryAttempt)
        /// The next thing must wait for a notification that is on its way.
        case wait
        case done
    }

    /// Does the next thing that is due by `target`. `limit` is what the time must not reach while notifications are on
    /// their way; nil if none is.
    ///
    /// The clock goes along with what happens, so that a receiver that asks sees the time of what it was told. The order is
    /// settled here, faults included: it does not depend on who answers faster.
    mutating func step(until target: Date, limit: Date?) -> Step {
        var soonest: (date: Date, environment: AppStoreEnvironment, isLife: Bool)?
        func consider(_ date: Date?, _ environment: AppStoreEnvironment, _ isLife: Bool) {
            guard let date, date <= target, soonest.map({ date < $0.date }) ?? true else { return }
            soonest = (date, environment, isLife)
        }
        consider(production.schedule.next, .production, true)
        consider(production.deliveries.next, .production, false)
        consider(sandbox.schedule.next, .sandbox, true)
        consider(sandbox.deliveries.next, .sandbox, false)
        guard let soonest else {
            if limit != nil { return .wait }
            clock.advance(to: target)
            return .done
        }
        if let limit, soonest.date >= limit { return .wait }
        clock.advance(to: soonest.date)
        if soonest.isLife {
            _ = self[soonest.environment].runNext(dueBy: soonest.date)
            return .happened
        }
        guard let entry = self[soonest.environment].deliveries.pop(dueBy: soonest.date),
            case .delivery(let number) = entry.event,
            let attempt = attempt(number, in: soonest.environment, planned: entry.date)
        else { return .happened }
        return .send(attempt)
    }

    /// When something happens or is sent next.
    var next: Date? {
        [production.schedule.next, production.deliveries.next, sandbox.schedule.next, sandbox.deliveries.next]
            .compactMap { $0 }.min()
    }

    /// The same, with what it is.
    var upcoming: Store.Upcoming? {
        var sandboxed = [sandbox.upcoming, sandbox.upcomingDelivery].compactMap { $0 }
        for index in sandboxed.indices { sandboxed[index].what += ", in the sandbox" }
        return ([production.upcoming, production.upcomingDelivery].compactMap { $0 } + sandboxed)
            .min { $0.date < $1.date }
    }
}
