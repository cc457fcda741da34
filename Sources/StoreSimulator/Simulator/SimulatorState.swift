package import AppStoreModels
package import Foundation

/// Everything about a simulator that changes: both stores, their clock, the faults. A value, so that it can be kept and
/// put back.
package struct SimulatorState: Sendable, Codable {
    package var clock: SimulatedClock
    package var production: Store
    package var sandbox: Store
    package var faults: FaultBook

    package init(_ configuration: SimulatorConfiguration, real: Date) {
        clock = SimulatedClock(configuration.clock, real: real)
        faults = FaultBook(seed: configuration.seed)
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
        case send(AppStoreEnvironment, Int, Date)
        /// The next thing must wait for a notification that is on its way.
        case wait
        case done
    }

    /// Does the next thing that is due by `target`, but nothing later than `limit`.
    ///
    /// The clock goes along with what happens, so that a receiver that asks sees the time of what it was told.
    mutating func step(until target: Date, limit: Date?) -> Step {
        let environments = [AppStoreEnvironment.production, .sandbox]
        let dates = environments.flatMap {
            [($0, true, self[$0].schedule.next), ($0, false, self[$0].deliveries.next)]
        }
        let soonest = dates.compactMap { date in date.2.map { (date.0, date.1, $0) } }.min { $0.2 < $1.2 }
        guard let (environment, isLife, date) = soonest, date <= target else {
            clock.advance(to: target)
            return .done
        }
        if let limit, date >= limit { return .wait }
        if clock.isFrozen { clock.advance(to: date) }
        if isLife {
            _ = self[environment].runNext(dueBy: date)
            return .happened
        }
        guard case .delivery(let number) = self[environment].deliveries.pop(dueBy: date)?.event else {
            return .happened
        }
        return .send(environment, number, max(date, clock.isFrozen ? date : clock.now()))
    }

    /// When something happens or is sent next.
    var next: Date? {
        [production.schedule.next, production.deliveries.next, sandbox.schedule.next, sandbox.deliveries.next]
            .compactMap { $0 }.min()
    }
}
