package import AppStoreModels
package import Foundation

/// The active faults and the random generators that decide when they are applied.
package struct FaultRegistry: Sendable, Codable {
    /// The active faults in the order in which they were added. Each has a unique number.
    package private(set) var entries: [Entry] = []
    private var lastNumber = 0
    // Two generators, so that API requests do not change which notifications are lost.
    private var routeGenerator: Identifiers
    private var notificationGenerator: Identifiers

    package struct Entry: Sendable, Codable {
        /// The number that removes the fault.
        package let number: Int
        package var fault: Fault
        /// How often the fault was applied.
        package var timesApplied = 0
    }

    package init(seed: UInt64, randomFaults: RandomFaultLevel? = nil) {
        routeGenerator = Identifiers(seed: seed ^ 0x4641_554C_54, isSandbox: false)
        notificationGenerator = Identifiers(seed: seed ^ 0x4641_554C_55, isSandbox: false)
        entries = (randomFaults?.faults ?? []).enumerated().map { Entry(number: $0 + 1, fault: $1) }
        lastNumber = entries.count
    }

    /// Adds a fault. Returns its number.
    package mutating func add(_ fault: Fault) throws(SimulatorError) -> Int {
        try fault.check()
        guard entries.count < 1000 else { throw SimulatorError(.limitReached, "there are 1000 faults already") }
        lastNumber &+= 1
        entries.append(Entry(number: lastNumber, fault: fault))
        return lastNumber
    }

    /// Removes the fault with a number; nil removes all.
    package mutating func remove(_ number: Int?) throws(SimulatorError) {
        guard let number else { return entries.removeAll() }
        guard let index = entries.firstIndex(where: { $0.number == number }) else {
            throw SimulatorError(.unknownFault, "there is no fault \(number)")
        }
        entries.remove(at: index)
    }

    /// Returns the effects to apply now, of the oldest fault first, and counts them.
    package mutating func takeEffects(
        _ targets: [String], in environment: AppStoreEnvironment, at now: Date
    ) -> [Fault.Effect] {
        guard !entries.isEmpty else { return [] }
        var effects: [Fault.Effect] = []
        for index in entries.indices {
            let fault = entries[index].fault
            guard targets.contains(fault.target), fault.environment.map({ $0 == environment }) ?? true,
                fault.until.map({ now < $0 }) ?? true, fault.count.map({ entries[index].timesApplied < $0 }) ?? true
            else { continue }
            if let probability = fault.probability {
                let word = fault.isForRoutes ? routeGenerator.next() : notificationGenerator.next()
                guard word.fraction < probability else { continue }
            }
            entries[index].timesApplied &+= 1
            effects.append(fault.effect)
        }
        entries.removeAll { entry in entry.fault.count.map { entry.timesApplied >= $0 } ?? false }
        return effects
    }
}
