import ClientWorld
import CounterfoilClient
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized)
struct `Cancelled requests` {
    private static let answer = """
        {"id": "anna", "as_of": 1750000000000, "entitlements": [], "groups": [], "consumables": []}
        """
    private let anna = CustomerCredential(customer: "anna", token: "token")

    @Test func `Five thousand cancelled requests neither crash nor hold up the next one`() async throws {
        let server = try LoopbackServer(answer: Self.answer)
        let backend = HTTPBackend(server: server.url, key: "key")
        let anna = anna
        var random = SeededGenerator(seed: 7)
        for _ in 0..<100 {
            // A request on loopback takes about a millisecond.
            let pauses = (0..<50).map { _ in UInt64.random(in: 0...3_000_000, using: &random) }
            await withTaskGroup(of: Void.self) { group in
                for pause in pauses {
                    group.addTask {
                        let pending = Task { try await backend.customer(anna, environment: nil) }
                        try? await Task.sleep(nanoseconds: pause)
                        pending.cancel()
                        // The request may have completed or been cancelled.
                        _ = await pending.result
                    }
                }
            }
        }
        #expect(try await backend.customer(anna, environment: nil).id == "anna")
    }

    @Test func `A cancelled request does not wait for a server that hangs`() async throws {
        let server = try LoopbackServer(answer: nil)
        let backend = HTTPBackend(server: server.url, key: "key")
        let anna = anna
        let pending = Task { try await backend.customer(anna, environment: nil) }
        for await _ in server.requests { break }
        pending.cancel()
        // The request itself ends after ten seconds, with another error.
        await #expect(throws: BackendFailure.noConnection) { try await pending.value }
    }

    @Test func `A request that is cancelled before it starts is not sent`() async throws {
        let (backend, request) = try StubProtocol.backend(.init(body: Self.answer))
        let anna = anna
        let pending = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await backend.customer(anna, environment: nil)
        }
        pending.cancel()
        await #expect(throws: BackendFailure.noConnection) { try await pending.value }
        #expect(request() == nil)
    }
}
