import Basics
import Foundation
import Testing

@testable import LedgerServices

/// Each open connection needs a descriptor, and a process without descriptors ends.
@Suite(.timeLimit(.minutes(10))) struct `Connections to receivers of webhooks` {
    private static func post(to receiver: WebhookReceiver, _ sender: WebhookSender) async throws {
        let target = try WebhookTarget(receiver.url + "/hooks", allowsHTTP: true)
        let response = try await sender.post(Data("{}".utf8), headers: [], to: target, allowsPrivate: true, turn: 0)
        try #require(response.status == 200)
    }

    /// Returns the number of messages since the last call, and of those whose connection is closed after the response.
    private static func counts(_ receiver: WebhookReceiver) -> [Int] {
        let messages = receiver.take()
        return [messages.count, messages.filter { $0.headers["connection"] == "close" }.count]
    }

    @Test func `Only a limited number of connections stays open after the responses, and others take their place`()
        async throws
    {
        let sender = WebhookSender(timeout: .seconds(600))
        let kept = WebhookSender.maximumKept
        try await withCleanup({ await sender.close() }) {
            try await WebhookReceiver.run { first in
                try await WebhookReceiver.run { second in
                    // While all that may stay open are in use.
                    try await Self.postAtOnce(kept, to: first, sender) { try await Self.post(to: second, sender) }
                    #expect(Self.counts(first) == [kept, 0])
                    #expect(Self.counts(second) == [1, 1])
                    // The first receiver's connections are no longer used: they are closed for the second's.
                    try await Self.post(to: second, sender)
                    #expect(Self.counts(second) == [1, 0])
                    try await Self.post(to: first, sender)
                    #expect(Self.counts(first) == [1, 0])
                }
            }
        }
    }

    /// Sends requests, and calls `body` while all of them wait for their responses.
    private static func postAtOnce(
        _ count: Int, to receiver: WebhookReceiver, _ sender: WebhookSender, _ body: () async throws -> Void
    ) async throws {
        let (held, release) = AsyncStream.makeStream(of: Void.self)
        defer { release.finish() }
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        receiver.answer { _ in
            arrival.yield()
            return WebhookReceiver.Answer(status: 200, delay: held)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await post(to: receiver, sender) } }
            for await _ in arrivals.prefix(count) {}
            try await body()
            release.finish()
            try await group.waitForAll()
        }
    }
}
