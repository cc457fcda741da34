import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing
import WebConsole

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

/// The law of isolation: with a key for some apps or environments, no request reads or changes anything of the others.
///
/// The requests are those of `The description of the API`, which has one for every operation of openapi.yaml.
@Suite struct `Isolation` {
    /// A key, by its name, and the places that it must not reach.
    struct Attack: Sendable, CustomStringConvertible {
        var key: String
        var reaches: @Sendable (TwoApps.Place) -> Bool
        var description: String { key }
    }

    static let attacks: [Attack] = [
        Attack(key: "com.example.app") { $0.app == "com.example.app" },
        Attack(key: TwoApps.otherApp) { $0.app == TwoApps.otherApp },
        Attack(key: "Production") { $0.environment == .production },
        Attack(key: "Sandbox") { $0.environment == .sandbox },
        Attack(key: "com.example.app.Sandbox") { $0.app == "com.example.app" && $0.environment == .sandbox },
    ]

    @Test(.timeLimit(.minutes(20)), arguments: attacks)
    func `A limited key reads and changes nothing of other apps and environments`(_ attack: Attack) async throws {
        try await TwoApps.run(seed: 1) { apps in
            var (victims, own): ([Victim], [Victim]) = ([], [])
            for place in apps.places {
                let victim = try await Victim(apps, place)
                if attack.reaches(place) { own.append(victim) } else { victims.append(victim) }
            }
            try #require(!victims.isEmpty && !own.isEmpty)
            var visible: Set<Substring> = []
            for one in own { visible.formUnion(tokens(try await one.readings().values)) }
            var before: [[String: String]] = []
            for victim in victims { before.append(try await victim.readings(lasting: true)) }
            for victim in victims {
                let secrets = victim.secrets(in: try await victim.readings().values).subtracting(visible)
                #expect(secrets.count > 20, "\(victim.place)")
                for request in try await victim.requests(endpoint: attack.key) {
                    try await expectNothing(of: victim, secrets, in: request, visible, attack)
                }
            }
            try await apps.world.deliverWebhooks()
            let sessions = try apps.world.server.core.sessions.open.map(\.id)
            for (victim, readings) in zip(victims, before) {
                #expect(readings.count > 20, "\(victim.place)")
                let after = try await victim.readings(lasting: true)
                for (path, text) in readings { #expect(after[path] == text, "\(attack) changed \(path)") }
                #expect(sessions.contains(victim.session), "\(attack) ended a session of \(victim.place)")
            }
        }
    }

    /// Sends a request about a victim with the attacker's key. The response must not contain anything that only the
    /// victim's key can read, and must be the same as the one about something that does not exist.
    private func expectNothing(
        of victim: Victim, _ secrets: Set<Substring>, in request: Victim.Request, _ visible: Set<Substring>,
        _ attack: Attack
    ) async throws {
        let attacker = victim.apps.client(attack.key)
        let answer = try await attacker.send(request.method, request.path, body: request.body.map { Data($0.utf8) })
        let name = "\(attack): \(request.method) \(request.path): \(answer.status)"
        #expect(answer.code != "internal_error", "\(name)")
        // Decoding returns the contents of the sent text.
        if request.path.hasPrefix("/v1/decode") {
            #expect(answer["known"] == nil, "\(name)")
        } else {
            let said = tokens([request.path, request.body ?? ""])
            let leaked = tokens([answer.text]).intersection(secrets).subtracting(said)
            #expect(leaked.isEmpty, "\(name) has \(leaked.prefix(3)) of \(victim.place)")
        }
        // Both apps may have the same identifiers.
        guard let unknown = request.unknown, request.names.isDisjoint(with: visible) else { return }
        let other = try await attacker.send(request.method, unknown.path, body: unknown.body.map { Data($0.utf8) })
        #expect(answer.status == other.status && answer.code == other.code, "\(name), but \(other.status)")
    }

    @Test func `Console pages of a limited key show nothing of other apps and environments`() async throws {
        try await TwoApps.run(seed: 3) { apps in
            let (place, foreign) = (try #require(apps.places.first), try #require(apps.places.last))
            let (own, victim) = (try await Victim(apps, place), try await Victim(apps, foreign))
            let shown = tokens(try await own.readings().values)
            let secrets = victim.secrets(in: try await victim.readings().values).subtracting(shown)
            #expect(secrets.count > 20)
            let browser = Browser(apps.world.url)
            try await browser.signIn(place.name)
            let values = victim.values
            for path in [
                "", "/customers", "/customers?q=$TRANSACTION", "/customers?q=$UUID", "/customers/$ID",
                "/customers/$ID?open=$UUID", "/customers/$ID/explain/premium", "/transactions/$TRANSACTION",
                "/notifications", "/notifications/$UUID", "/notifications/refused", "/completeness",
                "/recoveries/$RECOVERY", "/webhooks", "/webhooks/$ENDPOINT", "/webhooks/$ENDPOINT/deliveries/$DELIVERY",
                "/webhooks/\(place.name)/deliveries/$DELIVERY", "/refunds",
                "/refunds/of?customer=$ID&transaction=$PAID",
                "/events/evt_$UUID", "/operations", "/operations/audit", "/operations/configuration",
            ] {
                let filled = "/console" + Victim.filled(path, values)
                for query in ["", (filled.contains("?") ? "&" : "?") + foreign.query] {
                    let page = try await browser.get(filled + query)
                    #expect(page.status < 500, "\(filled + query)")
                    let leaked = tokens([page.text]).intersection(secrets).subtracting(tokens([filled + query]))
                    #expect(leaked.isEmpty, "\(filled + query) has \(leaked.prefix(3))")
                }
            }
        }
    }
}

private let wordBytes = Set("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.".utf8)

/// The words of texts: runs of characters that identifiers and signed texts consist of.
func tokens(_ texts: some Sequence<String>) -> Set<Substring> {
    var found: Set<Substring> = []
    for text in texts {
        for word in text.utf8.split(whereSeparator: { !wordBytes.contains($0) }) { found.insert(Substring(word)) }
    }
    return found
}
