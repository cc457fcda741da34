package import AppStoreModels
package import Foundation

/// The faults that are switched on, and the dice that say when they strike.
package struct FaultRegistry: Sendable, Codable {
    /// In the order in which they were switched on, each under a number of its own.
    package private(set) var entries: [Entry] = []
    private var lastNumber = 0
    // Two: what is asked in between must not change which notifications are lost.
    private var routeDice: Identifiers
    private var notificationDice: Identifiers

    package struct Entry: Sendable, Codable {
        package let number: Int
        package var fault: Fault
        package var struck = 0
    }

    package init(seed: UInt64, disorder: Disorder? = nil) {
        routeDice = Identifiers(seed: seed ^ 0x4641_554C_54, isSandbox: false)
        notificationDice = Identifiers(seed: seed ^ 0x4641_554C_55, isSandbox: false)
        for fault in disorder?.faults ?? [] {
            lastNumber += 1
            entries.append(Entry(number: lastNumber, fault: fault))
        }
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// Switches a fault on.
    package mutating func add(_ fault: Fault) throws(SimulatorError) -> Int {
        try fault.check()
        guard entries.count < 1000 else { throw SimulatorError("limit_reached", "there are 1000 faults already") }
        lastNumber += 1
        entries.append(Entry(number: lastNumber, fault: fault))
        return lastNumber
    }

    /// Switches a fault off, or all.
    package mutating func remove(_ number: Int?) throws(SimulatorError) {
        guard let number else { return entries.removeAll() }
        guard let index = entries.firstIndex(where: { $0.number == number }) else {
            throw SimulatorError("unknown_fault", "there is no fault \(number)")
        }
        entries.remove(at: index)
    }

    /// The effects that strike now, the oldest fault first. Each strike counts.
    package mutating func strike(
        _ targets: [String], in environment: AppStoreEnvironment, at now: Date
    ) -> [Fault.Effect] {
        guard !entries.isEmpty else { return [] }
        var effects: [Fault.Effect] = []
        for index in entries.indices {
            let fault = entries[index].fault
            guard targets.contains(fault.target), fault.environment.map({ $0 == environment }) ?? true,
                fault.until.map({ now < $0 }) ?? true, fault.count.map({ entries[index].struck < $0 }) ?? true
            else { continue }
            if let probability = fault.probability {
                let word = fault.isForRoutes ? routeDice.next() : notificationDice.next()
                let roll = Double(word >> 11) / 9_007_199_254_740_992
                guard roll < probability else { continue }
            }
            entries[index].struck += 1
            effects.append(fault.effect)
        }
        entries.removeAll { entry in entry.fault.count.map { entry.struck >= $0 } ?? false }
        return effects
    }
}
