import AppStoreModels
import AppStoreServer
import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import StoreSimulator
@testable import counterfoil

/// Each form of the simulator's panel shows a command that does the same.
@Suite struct `Commands shown by simulator forms` {
    private static let pages = [
        "/", "/customers/anna", "/trigger", "/faults", "/catalogue", "/settings", "/snapshots", "/scenarios",
    ]

    @Test func `The command that a form shows is accepted by the parser, with empty or filled fields`() async throws {
        try await Self.run { simulator, uuid in
            var commands = 0
            // Most pages have the forms of the clock.
            var checked: Set<String> = []
            for page in Self.pages + ["/notifications/\(uuid)"] {
                for environment in ["production", "sandbox"]
                where environment == "production" || !page.hasPrefix("/notifications/") {
                    let html = try await Self.fetch(simulator, page, environment)
                    for form in Self.forms(in: html) {
                        for filled in [form.filled(everything: false), form.filled(everything: true)] {
                            if checked.insert(filled).inserted { try await Self.check(filled, simulator, form.id) }
                            commands += 1
                        }
                        #expect(
                            form.shown.contains("--environment sandbox") == (environment == "sandbox")
                                || !form.isOfAnEnvironment, "\(form.id) of \(environment): \(form.shown)")
                    }
                }
            }
            #expect(commands > 200)
        }
    }

    private static func run(_ body: (Simulator, String) async throws -> Void) async throws {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Date(timeIntervalSince1970: 1_767_225_600))
        let simulator = try await Simulator.start(configuration)
        do {
            for environment in [AppStoreEnvironment.production, .sandbox] {
                try await simulator.perform(
                    .purchase(customer: "anna", product: "com.example.premium.monthly"), in: environment)
            }
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.snapshot("x")
            let uuid = simulator.core.read(.production) { store, _ in store.notifications.first?.uuid }
            try await body(simulator, try #require(uuid))
        } catch {
            await simulator.stop()
            throw error
        }
        await simulator.stop()
    }

    private static func fetch(_ simulator: Simulator, _ page: String, _ environment: String) async throws -> String {
        let base = simulator.information.controlURL.replacing("/simulator", with: "")
        let answer = try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(
                method: "GET", url: "\(base)\(page)?environment=\(environment)", timeout: .seconds(600)))
        try #require(answer.status == 200)
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// Parses a command with the command's parser, or sends a curl request.
    private static func check(_ text: String, _ simulator: Simulator, _ form: String) async throws {
        let words = shellWords(text)
        if words.first == "curl" { return try await send(words, simulator, form) }
        #expect(words.first == "counterfoil", "\(form): \(text)")
        do { _ = try Counterfoil.parseAsRoot(Array(words.dropFirst())) } catch {
            Issue.record("\(form): \(text): \(Counterfoil.message(for: error))")
        }
        if words.count > 3, words[2] == "settings" {
            let environment = words.contains("sandbox") ? "sandbox" : "production"
            let url = "\(simulator.information.controlURL)/\(environment)/settings"
            return try await send(["curl", "-X", "PATCH", "-d", words[3], url], simulator, form)
        }
        guard words.count > 3, words[2] == "do" else { return }
        #expect(throws: Never.self, "\(form): \(text)") {
            try JSONDecoder().decode(JSONValue.self, from: Data(words[3].utf8))
        }
    }

    private static func send(_ words: [String], _ simulator: Simulator, _ form: String) async throws {
        func after(_ option: String) -> String? {
            words.firstIndex(of: option).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
        }
        guard let body = after("-d"), !body.hasPrefix("@") else { return }
        let answer = try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(
                method: after("-X") ?? "GET", url: words.last ?? "", headers: [("Content-Type", "application/json")],
                body: Data(body.utf8), timeout: .seconds(600)))
        #expect(answer.status == 200, "\(form): \(words): \(String(decoding: answer.body, as: UTF8.self))")
    }

    /// Splits a line like a shell.
    private static func shellWords(_ line: String) -> [String] {
        var (words, word, isQuoted, isEscaped) = ([String](), "", false, false)
        for letter in line {
            switch letter {
            case _ where isEscaped: (word, isEscaped) = (word + String(letter), false)
            case "\\" where !isQuoted: isEscaped = true
            case "'": isQuoted.toggle()
            case " " where !isQuoted:
                words.append(word)
                word = ""
            default: word.append(letter)
            }
        }
        return words + [word]
    }

    /// A form in a page.
    private struct Form {
        var id: String
        var template: String
        var shown: String
        var values: [String: String]

        /// Commands for the clock, faults and snapshots concern both environments, and curl has the environment in the
        /// URL.
        var isOfAnEnvironment: Bool {
            shown.hasPrefix("counterfoil")
                && !["clock", "fault", "snapshot", "restore", "reset", "scenario"].contains {
                    shown.hasPrefix("counterfoil simulator \($0)")
                }
        }

        private static let samples = [
            "price": "12.99", "days": "7", "percentage": "50", "quantity": "2", "probability": "0.5", "count": "3",
            "number": "503", "customer": "anna's friend", "member": "ben", "name": "one", "to": "2027-03-01",
            "override": "transaction.price=1990", "override2": "renewalInfo.autoRenewStatus=0",
            "notificationURL": "http://127.0.0.1:1/x",
        ]

        func filled(everything: Bool) -> String {
            var values = values
            for (name, value) in values where value.isEmpty && (everything || isRequired(name)) {
                values[name] = Self.samples[name] ?? ""
            }
            return PanelForm.fill(template, values)
        }

        private func isRequired(_ name: String) -> Bool {
            !template.matches(of: /\[[^\]]*\]/).contains { $0.0.contains("{\(name)}") }
        }
    }

    private static func forms(in html: String) -> [Form] {
        html.matches(of: /(?s)<form([^>]*)>(.*?)<\/form>/).compactMap { match in
            let (head, text) = (String(match.1), String(match.2))
            guard head.contains("method=\"post\""), !head.contains("/theme") else { return nil }
            let label = head.firstMatch(of: /id="([^"]*)"/)?.1 ?? head[...]
            guard let code = text.firstMatch(of: /<code([^>]*)>(.*?)<\/code>/) else {
                Issue.record("\(label) shows no command")
                return nil
            }
            let shown = plain(String(code.2).replacing(/<[^>]*>/, with: ""))
            let template = code.1.firstMatch(of: /data-command="([^"]*)"/).map { plain(String($0.1)) }
            return Form(id: String(label), template: template ?? shown, shown: shown, values: values(in: text))
        }
    }

    private static func values(in form: String) -> [String: String] {
        var values: [String: String] = [:]
        for input in form.matches(of: /<input [^>]*>/) where !input.0.contains("type=\"checkbox\"") {
            guard let name = input.0.firstMatch(of: /name="([^"]*)"/)?.1 else { continue }
            values[String(name)] = plain(String(input.0.firstMatch(of: /value="([^"]*)"/)?.1 ?? ""))
        }
        for select in form.matches(of: /(?s)<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/) {
            let chosen =
                select.2.firstMatch(of: /<option value="([^"]*)" selected/)?.1
                ?? select.2.firstMatch(of: /<option value="([^"]*)"/)?.1
            values[String(select.1)] = plain(String(chosen ?? ""))
        }
        return values
    }

    private static func plain(_ text: String) -> String {
        text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}
