internal import AppStoreModels
internal import Basics
internal import ConfigurationReading
internal import Foundation
internal import Ledger
internal import LedgerServices

extension ServerConfigurationReader {
    private static let scopes = Vocabulary<[APIScope]>(
        APIScope.all.map { ($0.rawValue, [], [$0]) } + [("all", ["*"], APIScope.all)])

    // MARK: Keys

    func keys(_ root: inout Section, apps: [ServerConfiguration.App]) -> [ServerConfiguration.Key] {
        var (names, hashes): (Set<String>, Set<Data>) = ([], [])
        return root.sections("keys").compactMap { section in
            var section = section
            guard let key = key(&section, apps: apps) else { return nil }
            if !names.insert(key.name).inserted { section.problem("name", "\(quoted(key.name)) is used twice") }
            if !key.hash.isEmpty, !hashes.insert(key.hash).inserted {
                section.problem("secret", "is the same as that of another key")
            }
            return key
        }
    }

    private func key(_ section: inout Section, apps: [ServerConfiguration.App]) -> ServerConfiguration.Key? {
        let name = name(&section)
        let hash = hash(&section)
        section.require("scopes")
        let scopes = Set(section.words("scopes", of: Self.scopes).joined())
        if section.has("scopes"), section.isEmpty("scopes") { section.problem("scopes", "is empty") }
        let key = ServerConfiguration.Key(
            name: name ?? "", hash: hash ?? Data(), scopes: scopes, apps: bundleIDs(&section, apps: apps),
            environments: environments(&section), isPublic: section.flag("public") ?? false)
        section.finish()
        if key.isPublic { checkPublicKey(key, section, apps: apps) }
        let isKnown = hash != nil || absentCredentials.isAny(in: section.path("secret"))
        return name != nil && isKnown ? key : nil
    }

    /// Reads the hash of a key, or hashes the key's text.
    private func hash(_ section: inout Section) -> Data? {
        guard let value = section.value("secret") else {
            section.problem("secret", "is missing: {sha256: …}, {file: …} or {environment: …}")
            return nil
        }
        if case .mapping(let members) = value.content, members["sha256"] != nil {
            guard var section = section.section("secret") else { return nil }
            let text = section.text("sha256") ?? ""
            section.finish()
            let hash = Array(hexadecimal: text).map { Data($0) }
            if hash?.count != 32 { section.problem("sha256", "is not 64 hexadecimal digits") }
            return hash
        }
        guard let secret = secret(&section, "secret") else { return nil }
        // The hash has no salt, so the text must be too long to guess.
        guard secret.revealed.utf8.count >= 24 else {
            section.problem("secret", "is shorter than 24 characters; counterfoil server keys create makes a good one")
            return nil
        }
        return APIKeyText.hash(of: secret.revealed)
    }

    private func checkPublicKey(_ key: ServerConfiguration.Key, _ section: Section, apps: [ServerConfiguration.App]) {
        let excess = key.scopes.subtracting(APIScope.publicKeyScopes).map(\.rawValue).sorted()
        if !excess.isEmpty {
            section.problem("scopes", "a public key cannot have \(excess.joined(separator: ", "))")
        }
        guard readsSecrets else { return }
        for app in apps where key.apps?.contains(app.bundleID) ?? true {
            guard let path = appsWithoutTokenSecret.removeValue(forKey: app.bundleID) else { continue }
            diagnostics.problem(
                "\(path).customer_token_secret", "is missing; the public key at \(section.path) needs it")
        }
    }

    // MARK: Webhooks

    func webhooks(_ root: inout Section, apps: [ServerConfiguration.App]) -> [ServerConfiguration.Webhook] {
        var names: Set<String> = []
        return root.sections("webhooks").compactMap { section in
            var section = section
            guard let webhook = webhook(&section, apps: apps) else { return nil }
            if !names.insert(webhook.name).inserted {
                section.problem("name", "\(quoted(webhook.name)) is used twice")
            }
            return webhook
        }
    }

    private func webhook(_ section: inout Section, apps: [ServerConfiguration.App]) -> ServerConfiguration.Webhook? {
        let name = name(&section)
        let url = section.requiredText("url")
        section.require("secrets")
        let secrets = secrets(&section, "secrets")
        if section.has("secrets"), section.isEmpty("secrets") { section.problem("secrets", "is empty") }
        for (secret, path) in secrets where secret.webhookKey == nil {
            diagnostics.problem(path, "is not whsec_ followed by base64 of 24 to 64 bytes")
        }
        var webhook = ServerConfiguration.Webhook(name: name ?? "", url: url ?? "", secrets: secrets.map(\.secret))
        webhook.events = events(&section)
        webhook.payload = section.word("payload") ?? .counterfoil
        webhook.apps = bundleIDs(&section, apps: apps)
        webhook.environments = environments(&section)
        webhook.allowsPrivateNetworks = section.flag("allow_private_networks") ?? false
        section.finish()
        if url != nil { check(webhook, section) }
        return name == nil || url == nil ? nil : webhook
    }

    private func events(_ section: inout Section) -> [String]? {
        requireItems("events", of: section)
        return section.texts("events").map { events in
            for event in events {
                if !event.text.replacing("*", with: "_").isSettingName {
                    diagnostics.problem(event.path, "\(quoted(event.text)) is not a type such as subscription.renewed")
                } else if !EventType.isKnown(event.text) {
                    diagnostics.problem(
                        event.path,
                        "\(quoted(event.text)) is not an event of this version"
                            + SpellingSuggestion.suggestion(for: event.text, among: EventType.all))
                }
            }
            return events.map(\.text)
        }
    }

    private func check(_ webhook: ServerConfiguration.Webhook, _ section: Section) {
        guard let host = Self.host(ofURL: webhook.url) else {
            section.problem("url", "\(Self.redacted(webhook.url)) is not a URL such as https://example.com/hooks")
            return
        }
        // Report a URL for which every delivery would fail.
        do throws(WebhookTarget.Refusal) { _ = try WebhookTarget(webhook.url, allowsHTTP: true) } catch {
            section.problem("url", "nothing can be sent to \(quoted(host)): \(error.description)")
            return
        }
        let isPrivate = host == "localhost" || Network.notPublic.contains { $0.contains(host) }
        if isPrivate, !webhook.allowsPrivateNetworks {
            section.problem("url", "\(quoted(host)) is not public; allow_private_networks: true permits it")
        } else if !isSecureOrLoopback(webhook.url) {
            addNote(section.path("url"), "events about customers go there over plain HTTP")
        }
    }

    // MARK: Shared

    private func name(_ section: inout Section) -> String? {
        guard let name = section.requiredText("name") else { return nil }
        if !name.isSettingName {
            section.problem("name", "should consist of letters, digits, dots, - and _, at most 100")
        }
        return name
    }

    /// Reports a list that is present and empty: it could mean nothing as well as everything.
    func requireItems(_ key: String, of section: Section) {
        if section.isEmpty(key) { section.problem(key, "is empty; leave it out for everything") }
    }

    private func bundleIDs(_ section: inout Section, apps: [ServerConfiguration.App]) -> Set<String>? {
        requireItems("apps", of: section)
        guard let ids = section.texts("apps") else { return nil }
        let known = Set(apps.map { ExactText($0.bundleID) })
        for id in ids where !known.contains(ExactText(id.text)) {
            diagnostics.problem(
                id.path,
                "\(quoted(id.text)) is not one of the apps"
                    + SpellingSuggestion.suggestion(for: id.text, among: apps.map(\.bundleID)))
        }
        return Set(ids.map(\.text))
    }
}
