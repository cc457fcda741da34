import Dispatch
import Foundation
import Testing

@testable import CounterfoilServer

@Suite struct `Hosts in a configuration` {
    private static let text = """
        apps:
          - bundle_id: com.example.app
            apple_id: 1234567890
            base_urls: {sandbox: "https://store.example.com"}
        webhooks:
          - {name: one, url: "https://known.example.com/hook", secrets: [{environment: HOOK}]}
          - {name: two, url: "https://unknown.example.com/hook", secrets: [{environment: HOOK}]}

        """

    private static func read() throws -> LoadedConfiguration {
        let secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
        return try TestConfiguration.read(text, environment: ["HOOK": secret])
    }

    private static func notes(_ loaded: LoadedConfiguration) -> [ConfigurationIssue] {
        loaded.warnings.filter { $0.message.contains("finds no address") }
    }

    @Test func `A host without an address is a note with its line`() async throws {
        let loaded = try await Self.read().addingHostWarnings { $0 == "known.example.com" ? ["192.0.2.1"] : [] }
        let notes = Self.notes(loaded)
        #expect(notes.map(\.path) == ["webhooks[1].url", "apps[0].base_urls.sandbox"])
        #expect(notes.map(\.line) == [7, 4])
        #expect(notes.first?.message == "this machine finds no address of \"unknown.example.com\"")
    }

    @Test(.timeLimit(.minutes(5))) func `A lookup that does not end is a note too`() async throws {
        let nameServer = DispatchSemaphore(value: 0)
        let loaded = try await Self.read().addingHostWarnings(within: .zero) { _ in
            nameServer.wait()
            return ["192.0.2.1"]
        }
        for _ in 0..<3 { nameServer.signal() }
        #expect(Self.notes(loaded).count == 3)
    }
}
