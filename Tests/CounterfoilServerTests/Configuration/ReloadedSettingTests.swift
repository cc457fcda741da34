import AppStoreServer
import Foundation
import LedgerServices
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger

@Suite struct `Reloaded settings` {
    /// A setting as the API shows it, and what it does not show.
    private struct Shown: Equatable {
        /// Its path has the bundle identifier of an app instead of its place in the list.
        var setting: EffectiveConfiguration.Setting
        var origin: String
    }

    /// The settings that a reload applies to a known app.
    private static let reloaded = ["public_offers", "shared_secrets", "customer_token_secret", "answer_key"]

    /// The settings of an app that end when a reload finds that the app was removed.
    private static let ending = ["public_offers", "shared_secrets", "customer_token_secret"]

    /// Returns the text of a random configuration.
    private static func text(_ random: inout SeededGenerator) -> String {
        func chance() -> Bool { Bool.random(using: &random) }
        var sections: [String] = []
        let names = ["one", "two", "three"].shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
        let apps = names.map { name in
            var lines = ["  - bundle_id: com.example.\(name)", "    environments: [Sandbox]"]
            if chance() { lines.append("    restore_policy: share") }
            if chance() { lines.append("    entitlements: {premium: [\(chance() ? "monthly" : "yearly")]}") }
            if chance() { lines.append("    public_offers: [\(chance() ? "summer" : "winter")]") }
            if chance() { lines.append("    shared_secrets: [\(name)-\(Int.random(in: 1...3, using: &random))]") }
            if chance() {
                let secret = "\(name)-\(Int.random(in: 1...3, using: &random))-a-secret-of-32-bytes-or-more"
                lines.append("    customer_token_secret: \(secret)")
            }
            if chance() {
                let (issuer, key) = (chance() ? "first" : "second", chance() ? "KEY1" : "KEY2")
                lines.append("    key: {issuer_id: \(issuer), key_id: \(key), private_key: {environment: KEY}}")
            }
            return lines.joined(separator: "\n")
        }
        sections.append("apps:\n" + apps.joined(separator: "\n"))
        if chance() { sections.append("limits:\n  requests_per_second: \(Int.random(in: 1...3, using: &random))") }
        if chance() { sections.append("log: {level: \(chance() ? "debug" : "error")}") }
        if chance() { sections.append("recovery:\n\n  interval: \(chance() ? "1h" : "2h")") }
        if chance() { sections.append("console: {audit_reads: \(chance())}") }
        let keys = (1...3).filter { _ in chance() }.map { number in
            let hash = String(repeating: "\(number)\(Int.random(in: 1...3, using: &random))", count: 32)
            let scope = chance() ? "all" : "customers:read"
            return "  - {name: k\(number), scopes: ['\(scope)'], secret: {sha256: '\(hash)'}}"
        }
        if !keys.isEmpty { sections.append("keys:\n" + keys.joined(separator: "\n")) }
        return sections.shuffled(using: &random).joined(separator: chance() ? "\n\n" : "\n") + "\n"
    }

    /// Returns the settings by their paths, with the bundle identifier of an app instead of its place in the list.
    private static func shown(_ configuration: ServerConfiguration) throws -> [String: Shown] {
        var result: [String: Shown] = [:]
        for setting in EffectiveConfiguration(configuration).settings {
            var path = setting.path
            if path.hasPrefix("apps["), let end = path.firstIndex(of: "]") {
                let index = try #require(Int(path[path.index(path.startIndex, offsetBy: 5)..<end]))
                path = configuration.apps[index].bundleID + path[path.index(after: end)...]
            }
            let origin = configuration.origins.origin(of: setting.path)
            result[path] = Shown(setting: .init(path: path, value: setting.value, rest: setting.rest), origin: origin)
        }
        return result
    }

    private static func secrets(_ app: ServerConfiguration.App) -> [String?] {
        [app.customerTokenSecret?.revealed, app.offerKey?.keyID] + app.sharedSecrets.map { Optional($0.revealed) }
    }

    @Test func `After any reloads each setting is that of a new start or waits for a restart, and says so`() throws {
        var random = SeededGenerator(seed: 20)
        func read() throws -> ServerConfiguration {
            try TestConfiguration.read(Self.text(&random), environment: ["KEY": TestConfiguration.privateKey])
                .configuration
        }
        var (applied, waiting) = (0, 0)
        for _ in 0..<20 {
            var running = try read()
            for _ in 0..<8 {
                let (file, before) = (try read(), try Self.shown(running))
                let outcome = running.applying(file)
                running = outcome.applied
                let (now, fresh) = (try Self.shown(running), try Self.shown(file))
                for (path, shown) in now {
                    guard fresh[path]?.setting != shown.setting else {
                        #expect(fresh[path] == shown, "\(path)")
                        applied += 1
                        continue
                    }
                    waiting += 1
                    #expect(shown.origin.hasSuffix(", until a restart"), "\(path): \(shown.origin)")
                    let isEnded = fresh[path] == nil && Self.ending.contains { path.hasSuffix("." + $0) }
                    let expected = isEnded ? .init(path: path, value: "none") : before[path]?.setting
                    #expect(shown.setting == expected, "\(path)")
                    let isNamed = outcome.pending.contains { name in
                        path.hasPrefix(name + ".") || name.hasPrefix("apps ") && path.hasPrefix(name.dropFirst(5) + ".")
                            || name == "apps" && path.hasPrefix("com.example.") && fresh[path] == nil
                    }
                    #expect(isNamed, "\(path): \(outcome.pending)")
                    let isReloaded = Self.reloaded.contains { path.hasSuffix("." + $0) } && fresh[path] != nil
                    #expect(!isReloaded && !path.hasPrefix("keys["), "\(path)")
                }
                #expect(running.keys.map(\.hash) == file.keys.map(\.hash))
                for app in running.apps {
                    guard let read = file.app(app.bundleID) else {
                        #expect(app.customerTokenSecret == nil && app.sharedSecrets.isEmpty, "\(app.bundleID)")
                        continue
                    }
                    #expect(Self.secrets(app) == Self.secrets(read), "\(app.bundleID)")
                }
            }
        }
        #expect(applied > 2000 && waiting > 500, "\(applied) \(waiting)")
    }

    @Test func `Offers are signed with the key in effect until a restart, unless they have their own`() throws {
        func read(_ issuer: String, _ key: String, _ offers: String = "") throws -> ServerConfiguration {
            try TestConfiguration.read(
                """
                apps:
                  - bundle_id: com.example.app
                    environments: [Sandbox]
                    key: {issuer_id: \(issuer), key_id: \(key), private_key: {environment: KEY}}
                    \(offers)
                """, environment: ["KEY": TestConfiguration.privateKey]
            ).configuration
        }
        func offerKey(_ configuration: ServerConfiguration) throws -> String {
            try #require(try Self.shown(configuration)["com.example.app.offers"]).setting.value
        }
        let running = try read("first", "KEY1")
        #expect(try offerKey(running) == "KEY1")
        #expect(try offerKey(running.applying(try read("first", "KEY2")).applied) == "KEY2")
        let moved = running.applying(try read("second", "KEY2")).applied
        #expect(moved.apps[0].offerKey == nil && moved.apps[0].key?.signingKey.keyID == "KEY1")
        #expect(try offerKey(moved) == "KEY1")
        let own = try read("second", "KEY2", "offers: {key_id: KEY3, private_key: {environment: KEY}}")
        #expect(try offerKey(running.applying(own).applied) == "KEY3")
    }

    @Test func `A setting that waits for a restart says so also if the new one is shown alike`() throws {
        let former = """
            apps:
              - bundle_id: com.example.app
                environments: [Sandbox]
                key: {issuer_id: first, key_id: KEY1, private_key: {environment: KEY}}
                base_urls: {sandbox: "http://127.0.0.1:9000/first"}
                entitlements: {premium: [monthly]}
                products: {monthly: {level: 1}}
            listen: {public_url: "https://example.com/first"}
            console: {secret: the-first-secret-of-24-letters-or-more}
            clock: http://127.0.0.1:9000/first
            """
        let new = former.replacing("first", with: "second").replacing("[monthly]", with: "[yearly]")
            .replacing("level: 1", with: "level: 2")
        func read(_ text: String) throws -> ServerConfiguration {
            try TestConfiguration.read(text, environment: ["KEY": TestConfiguration.privateKey]).configuration
        }
        func waiting(_ configuration: ServerConfiguration) -> [String] {
            EffectiveConfiguration(configuration).settings.map(\.path).filter {
                configuration.origins.origin(of: $0).hasSuffix(" of an earlier file, until a restart")
            }
        }
        func values(_ configuration: ServerConfiguration) -> [String] {
            EffectiveConfiguration(configuration).settings.map(\.value)
        }
        let (running, file) = (try read(former), try read(new))
        #expect(values(running) == values(file))
        let reloaded = running.applying(file).applied
        #expect(
            waiting(reloaded) == [
                "apps[0].key", "apps[0].base_urls.sandbox", "apps[0].entitlements", "apps[0].products",
                "listen.public_url", "console.secret", "clock",
            ])
        #expect(waiting(reloaded.applying(running).applied) == [])
    }
}
