import AppStoreServer
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StoreSimulator

@Suite struct `Background advances of the clock` {
    private struct Advance: Decodable {
        let id: Int
        let state: String
        let now: Double
        let target: Double
        let notifications: Int
    }

    private func call(
        _ method: String, _ path: String, _ simulator: Simulator, _ body: String? = nil
    ) async throws -> (status: Int, body: Data) {
        let answer = try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(
                method: method, url: simulator.information.controlURL + path,
                headers: body == nil ? [] : [("Content-Type", "application/json")], body: body.map { Data($0.utf8) },
                timeout: .seconds(600)))
        return (answer.status, answer.body)
    }

    private func advance(_ data: Data) throws -> Advance { try JSONDecoder().decode(Advance.self, from: data) }

    @Test(.timeLimit(.minutes(10)))
    func `An asynchronous advance reports progress until it is done at its target`() async throws {
        try await withSimulator { simulator in
            for index in 0..<20 {
                try await simulator.perform(
                    .purchase(customer: "c\(index)", product: "com.example.premium.monthly"))
            }
            let begun = try await call("POST", "/clock/advance?wait=false", simulator, #"{"by":"2 years"}"#)
            #expect(begun.status == 202)
            let id = try advance(begun.body).id
            var last = try advance(begun.body)
            while last.state == "advancing" {
                last = try advance(try await call("GET", "/clock/advances/\(id)", simulator).body)
            }
            #expect(last.state == "done" && last.now == last.target && last.notifications >= 400)
            #expect(try await call("GET", "/clock/advances/99", simulator).status == 404)
            #expect(try await call("GET", "/clock/advances/x", simulator).status == 404)
            #expect(
                try await call("POST", "/clock/advance?wait=maybe", simulator, #"{"by":"1d"}"#).status == 400)
            #expect(
                try await call("POST", "/clock/advance?wait=false", simulator, #"{"to":"2001-01-01T00:00:00Z"}"#).status
                    == 400)
        }
    }

    /// Runs a simulator with subscribers whose receiver answers only after `body` has opened the gate: an advance waits
    /// for its first notifications until then, however busy the machine is.
    private func withHeldAdvance(_ body: (Simulator, Gate, Advance) async throws -> Void) async throws {
        let gate = Gate()
        // The receiver answers the notifications of the purchases at once.
        let isHolding = Atomic(false)
        let simulator = try await Simulator.start(.frozen) { _ in
            if isHolding.load(ordering: .acquiring) { await gate.pass() }
        }
        do {
            for index in 0..<50 {
                try await simulator.perform(
                    .purchase(customer: "c\(index)", product: "com.example.premium.monthly"))
            }
            isHolding.store(true, ordering: .releasing)
            let begun = try await call("POST", "/clock/advance?wait=false", simulator, #"{"by":"100 years"}"#)
            #expect(begun.status == 202)
            try await body(simulator, gate, try advance(begun.body))
        } catch { Issue.record(error) }
        gate.open()
        await simulator.stop()
    }

    @Test func `An advance is refused while another one is running`() async throws {
        try await withHeldAdvance { simulator, _, begun in
            let second = try await call("POST", "/clock/advance?wait=false", simulator, #"{"by":"1 day"}"#)
            #expect(second.status == 409)
            #expect(String(decoding: second.body, as: UTF8.self).contains("already_advancing"))
            #expect(try await call("DELETE", "/clock/advances/\(begun.id)", simulator).status == 202)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `A cancelled advance stops before its target, and the clock continues from there`() async throws {
        try await withHeldAdvance { simulator, gate, begun in
            let path = "/clock/advances/\(begun.id)"
            #expect(try await call("DELETE", path, simulator).status == 202)
            gate.open()
            var last = begun
            while last.state == "advancing" { last = try advance(try await call("GET", path, simulator).body) }
            #expect(last.state == "cancelled" && last.now < last.target)
            // The next advance starts where the cancelled one stopped.
            let rest = try await simulator.advance(by: 60)
            #expect((rest.from.timeIntervalSince1970 * 1000).rounded() >= last.now.rounded())
        }
    }

    /// A request may arrive after the simulator has cancelled all advances and before it closes its port.
    @Test func `An advance that begins while the simulator stops does not move the clock`() async throws {
        try await withSimulator { simulator in
            let before = simulator.now
            simulator.core.advances.cancelAll()
            let begun = try simulator.core.beginAdvance(to: before + 86_400)
            try await waitUntil("the advance has ended") { !simulator.core.advances.isAdvancing }
            #expect(simulator.now == before)
            #expect(simulator.core.advances.find(begun.id)?.advance.state == .cancelled)
        }
    }
}
