import CounterfoilServer
import Testing

/// Quadratic work takes minutes in a debug build.
@Suite(.timeLimit(.minutes(1))) struct `A large configuration` {
    private typealias Test = TestConfiguration

    private static func apps(_ count: Int, _ app: (Int) -> String) -> String {
        "apps:\n" + (0..<count).map { "  - {environments: [Sandbox], \(app($0))}\n" }.joined()
    }

    @Test func `The secrets of thousands of apps are compared in linear time`() throws {
        let padding = String(repeating: "x", count: 32)
        func secrets(_ number: Int) -> String {
            "customer_token_secret: \(padding)\(number), shared_secrets: s\(number)"
        }
        let text = Self.apps(7000) { "bundle_id: a.b\($0), \(secrets($0))" }
        #expect(try Test.read(text).configuration.apps.count == 7000)
        #expect(Test.problems(text + "  - {environments: [Sandbox], bundle_id: last, \(secrets(7))}\n").count == 2)
    }

    @Test func `Suggestions for a thousand unknown apps are made only for the problems that are shown`() throws {
        let long = String(repeating: "a", count: 60)
        let unknown = (0..<1000).map { "      - com.example.unknown.app\($0)\n" }.joined()
        let text =
            Self.apps(1000) { "bundle_id: \(long)\($0)" }
            + "keys:\n  - name: a\n    secret: {sha256: \(String(repeating: "a", count: 64))}\n"
            + "    scopes: [all]\n    apps:\n" + unknown
        let problems = Test.problems(text)
        #expect(problems.count == 101 && problems.last == "900 more problems")
    }

    @Test func `A key finds an app among a thousand, and a misspelt one is corrected`() throws {
        let key = "keys: [{name: a, secret: {sha256: \(String(repeating: "a", count: 64))}, scopes: [all], apps: "
        let text = Self.apps(1000) { "bundle_id: com.example.app\($0)" }
        #expect(Test.problems(text + key + "[com.example.app999]}]").isEmpty)
        let problems = Test.problems(text + key + "[com.exmple.app999]}]")
        try #require(problems.count == 1)
        #expect(problems[0].contains(#"did you mean "com.example.app999"?"#), "\(problems)")
    }
}
