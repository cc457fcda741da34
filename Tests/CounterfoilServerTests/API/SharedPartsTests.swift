import Foundation
import Synchronization
import Testing
@testable import CounterfoilServer

@Suite struct `The live parts of a page` {
    private let shared = SharedParts(age: .seconds(3600))
    private let reader = SharedParts.Key(target: "/console?fragment=all", scopes: [.consoleOpen, .customersRead])

    @Test func `are made once for all who ask at the same moment`() async throws {
        let made = Made()
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask { [shared, reader] in
                    try await shared.parts(reader, after: 7) {
                        await Task.yield()
                        return "\(made.count.add(1, ordering: .relaxed).newValue)"
                    }
                }
            }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "1", count: 20))
    }

    @Test func `are made anew after a change, and when they are old`() async throws {
        #expect(try await shared.parts(reader, after: 1) { "one" } == "one")
        #expect(try await shared.parts(reader, after: 2) { "two" } == "two")
        let brief = SharedParts(age: .zero)
        #expect(try await brief.parts(reader, after: 1) { "one" } == "one")
        #expect(try await brief.parts(reader, after: 1) { "two" } == "two")
    }

    @Test func `are not those of somebody who may see more`() async throws {
        #expect(try await shared.parts(reader, after: 1) { "all" } == "all")
        for other in [
            SharedParts.Key(target: reader.target, scopes: [.consoleOpen]),
            SharedParts.Key(target: reader.target, scopes: reader.scopes, apps: ["com.example.other"]),
            SharedParts.Key(target: reader.target, scopes: reader.scopes, environments: ["Sandbox"]),
            SharedParts.Key(target: "/console?fragment=all&app=other", scopes: reader.scopes),
        ] {
            #expect(try await shared.parts(other, after: 1) { "less" } == "less")
        }
    }

    @Test func `that could not be made are an error for all who waited`() async throws {
        struct Trouble: Error {}
        await #expect(throws: Trouble.self) { try await shared.parts(reader, after: 1) { throw Trouble() } }
        #expect(try await shared.parts(reader, after: 2) { "there" } == "there")
    }
}

private final class Made: Sendable {
    let count = Atomic<Int>(0)
}
