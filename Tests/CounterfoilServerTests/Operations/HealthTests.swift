import AppStoreTrust
import CounterfoilServer
import Foundation
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import Ledger

@Suite struct `Health` {
    @Test func `Readiness lists the state of each part, and a draining server answers 503`() async throws {
        let lines = LogCapture()
        try await World.run(logger: lines.logger(.init())) { world in
            let live = try await world.request("/health/live")
            #expect(live.status == 200)
            #expect(live.text == #"{"object":"health","status":"live"}"#)
            let ready = try await world.request("/health/ready")
            #expect(ready.status == 200)
            #expect(
                ready.text == #"{"object":"health","status":"ready","parts":[{"name":"server","status":"ok"},"#
                    + #"{"name":"ledger","status":"ok"}]}"#)
            try world.server.core.readiness.startDraining()
            let draining = try await world.request("/health/ready")
            #expect(draining.status == 503)
            #expect(draining.text.contains(#"{"name":"server","status":"draining"}"#))
            #expect(try await world.request("/health/ready").status == 503)
            let logged = lines.text.split(separator: "\n").filter { $0.contains("the server is not ready") }
            #expect(logged.count == 1 && logged[0].contains(#"reason="server draining, ledger ok""#), "\(logged)")
            #expect(try await world.request("/health/live").status == 200)
        }
    }

    @Test func `The log says when the server is ready again`() async throws {
        let lines = LogCapture()
        try await World.run(logger: lines.logger(.init())) { world in
            try await world.withReadOnlyLedger {
                try await waitUntil("the server is not ready") {
                    try await world.request("/health/ready").status == 503
                }
                #expect(lines.text.contains("the server is not ready") && !lines.text.contains("ready again"))
                // At night no request fails that would log it.
                #expect(lines.text.contains(#"ledger="storage_read_only: "#), "\(lines.text)")
                // Nobody has to request `/health/ready` for the alert.
                let full = try #require(await world.server.core.metrics.text())
                #expect(full.contains("\ncounterfoil_ready 0\n"))
            }
            try await waitUntil("the server is ready") { try await world.request("/health/ready").status == 200 }
            let freed = try #require(await world.server.core.metrics.text())
            #expect(freed.contains("\ncounterfoil_ready 1\n"))
            try world.server.core.readiness.startDraining()
            let draining = try #require(await world.server.core.metrics.text())
            #expect(draining.contains("\ncounterfoil_ready 0\n"))
            let count = lines.text.split(separator: "\n").count { $0.contains("the server is ready again") }
            #expect(count == 1, "\(lines.text)")
        }
    }

    @Test func `Health routes answer HEAD without a body`() async throws {
        try await World.run { world in
            for path in ["/health/live", "/health/ready"] {
                let answer = try await world.request(.HEAD, path)
                #expect(answer.status == 200 && answer.text.isEmpty, "\(path)")
            }
            try world.server.core.readiness.startDraining()
            #expect(try await world.request(.HEAD, "/health/ready").status == 503)
        }
    }

    @Test func `The result of a ledger check is reused for a moment`() async {
        let checks = Mutex(0)
        let instant = ContinuousClock.now
        let readiness = Readiness(
            timeout: .seconds(600), now: { instant },
            check: {
                checks.withLock { $0 += 1 }
                throw StorageError(.full, "the disk is full")
            })
        for _ in 0..<50 { #expect(await readiness.ledgerProblem() == "storage_full") }
        #expect(checks.withLock(\.self) == 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func `A ledger check that does not finish is reported after the limit, without blocking callers`() async throws {
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let instant = Mutex(ContinuousClock.now)
        let isHung = Mutex(false)
        let readiness = Readiness(
            timeout: .zero, now: { instant.withLock(\.self) },
            check: { if isHung.withLock(\.self) { for await _ in answers {} } })
        try await waitUntil("the first check succeeds") {
            await readiness.ledgerProblem() == nil
        }
        isHung.withLock { $0 = true }
        instant.withLock { $0 += .seconds(2) }
        #expect(await readiness.ledgerProblem() == nil)
        instant.withLock { $0 += Readiness.limit - .milliseconds(1) }
        #expect(await readiness.ledgerProblem() == nil)
        instant.withLock { $0 += .milliseconds(1) }
        #expect(await readiness.ledgerProblem() == "storage_stalled")
        // The problem ends when the check finishes.
        answer.finish()
        try await waitUntil("the problem ends") { await readiness.ledgerProblem() == nil }
    }

    @Test func `A first ledger check that does not finish within the timeout is reported`() async {
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let readiness = Readiness(timeout: .zero, check: { for await _ in answers {} })
        #expect(await readiness.ledgerProblem() == "storage_stalled")
        answer.finish()
    }

    @Test(.timeLimit(.minutes(10)))
    func `A request during the first ledger check reports no problem`() async {
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let instant = ContinuousClock.now
        let readiness = Readiness(
            timeout: .seconds(600), now: { instant },
            check: {
                begin.finish()
                for await _ in answers {}
            })
        async let first = readiness.ledgerProblem()
        for await _ in begins {}
        #expect(await readiness.ledgerProblem() == nil)
        answer.finish()
        #expect(await first == nil)
    }

    @Test func `The log names the roots that expire within a year when the server starts`() async throws {
        let lines = LogCapture()
        try await World.run(logger: lines.logger(.init())) { world in
            let words = "a root certificate expires soon"
            #expect(!lines.text.contains(words))
            let root = try #require(try world.configuration().trust.anchors.expirations.first)
            try await world.stopServer()
            let lead = root.date.timeIntervalSince(World.start) - 300 * 86_400
            world.clockLead.withLock { $0 = lead }
            try await world.startServer()
            #expect(lines.text.contains(words) && lines.text.contains(root.date.formatted(.iso8601)))
        }
    }
}
