import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// Compares a server that gets every notification with one that misses some and recovers. `COUNTERFOIL_AGREEMENT`
/// chooses the seeds.
@Suite struct `Nothing is missing` {
    static let seeds = Array(`Server and simulator agree`.seeds(default: 1...4))
    static let longOutages = Array(`Server and simulator agree`.seeds(default: 1...2))

    /// Does not compare what depends on how a server learned something: see `Answer`.
    @Test(arguments: seeds)
    func `A server that missed notifications gives the same answers as one that got all`(_ seed: UInt64) async throws {
        try await PairedServers.run(seed) { servers in
            let world = servers.world
            try await servers.begin()
            let since = try #require(try await world.completeness().mark?.since)
            try await servers.live(steps: 40)
            let past = world.simulator.now.milliseconds
            try await servers.live(steps: 40)
            try await world.simulator.advance(by: 3600)
            try await servers.recover()
            let lost = servers.relay.lost.count
            #expect(lost > 0, "seed \(seed): nothing was lost")

            #expect(try await world.storedNotifications() == world.signedNotifications())
            let completeness = try await world.completeness()
            #expect(completeness.state == .complete, "seed \(seed): \(completeness.reason ?? "")")
            #expect(completeness.missing == MissingCounts())
            #expect(completeness.mark?.since == since)
            let until = try #require(completeness.mark?.until) + RecoveryPlan.historyDelay
            #expect((-60_000...0).contains(until - world.simulator.now.milliseconds))

            let questions = Self.questions(servers.customers, past: past)
            let (answers, differences) = try await servers.compare(questions)
            #expect(differences.isEmpty, "seed \(seed):\n\(differences.prefix(4).joined(separator: "\n"))")
            // Empty answers are equal too.
            for object in ["subscription", "purchase", "timeline_entry", "claim", "search_result", "explanation"] {
                let part = "\"object\":\"\(object)\""
                #expect(answers.contains { $0.contains(part) }, "seed \(seed): no answer has \(part)")
            }
            let events = try await Answer.events(of: servers.complete)
            let recovered = try await Answer.events(of: world.server)
            let others = Set(events).symmetricDifference(recovered)
            #expect(events.count > 20 && recovered.count == events.count)
            #expect(others.isEmpty, "seed \(seed):\n\(others.sorted().prefix(4).joined(separator: "\n"))")
        }
    }

    /// What happened before the App Store's history is lost, except for what the histories of the customers say.
    @Test(arguments: longOutages)
    func `After an outage longer than the history, customers are right, and the mark begins with the history`(
        _ seed: UInt64
    ) async throws {
        try await PairedServers.run(seed) { servers in
            let world = servers.world
            try await servers.begin()
            try await servers.live(steps: 20)
            try await servers.recover()
            try await servers.live(withoutServer: 200)
            let limit = RecoveryPlan.limit(at: world.simulator.now, RecoverySettings())
            try await servers.recover()
            let completeness = try await world.completeness()
            let mark = try #require(completeness.mark)
            #expect(completeness.state == .complete, "seed \(seed): \(completeness.reason ?? "")")
            #expect((0..<60_000).contains(mark.since - limit))
            let stored = try await world.storedNotifications()
            #expect(stored != world.signedNotifications(), "seed \(seed): nothing was lost")
            #expect(world.signedNotifications(from: mark.since, until: mark.until).isSubset(of: stored))

            try await servers.live(steps: 10)
            try await world.simulator.advance(by: 3600)
            try await servers.recover()
            #expect(try await world.completeness().mark?.since == mark.since)
            let questions = servers.customers.map { "/v1/customers/\($0)?include=periods,spend" }
            let (answers, differences) = try await servers.compare(questions, knowsGracePeriods: false)
            #expect(differences.isEmpty, "seed \(seed):\n\(differences.prefix(4).joined(separator: "\n"))")
            #expect(answers.contains { $0.contains("\"object\":\"subscription\"") })
        }
    }

    private static func questions(_ customers: [String], past: Milliseconds) -> [String] {
        var questions = ["/v1/segments", "/v1/purchases?claimed=false&limit=100"]
        questions += Segment.allCases.map { "/v1/segments/\($0.name)?limit=100" }
        for customer in customers {
            let path = "/v1/customers/\(customer)"
            questions += [
                "\(path)?include=periods,spend", "\(path)?at=\(past)", "\(path)/timeline?limit=100",
                "\(path)/timeline?limit=100&at=\(past)", "\(path)/claims?limit=100",
                "\(path)/entitlements/premium/explain", "\(path)/entitlements/extra/explain",
                "/v1/search?q=\(customer)",
            ]
        }
        return questions
    }
}
