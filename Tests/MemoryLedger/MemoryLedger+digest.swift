internal import AppStoreModels
internal import Basics
internal import Crypto
internal import Foundation
internal import Ledger

extension MemoryLedger: DigestStorage {
    package func digest() async throws -> String {
        try read { SHA256.hash(data: Array($0.description.utf8)).hexadecimal }
    }
}

extension MemoryLedger.State: CustomStringConvertible {
    /// Everything that the digest covers, sorted, without the row numbers of this engine.
    var description: String {
        var lines: [String] = []
        func add(_ scope: Int64, _ values: String...) {
            let scope = scopes.first { $0.id == scope }
            let all = [scope?.bundleID ?? "", scope?.environment.rawValue ?? ""] + values
            lines.append(all.map { $0.debugDescription }.joined(separator: " "))
        }
        for (key, record) in records {
            add(key.scope, "lineage", "\(record.lineage)")
            let sources = record.sources + [record.renewalSource].compactMap(\.self)
            add(key.scope, "sources", key.name.text, "\(sources.map(name))")
            add(
                key.scope, "mentions", key.name.text,
                "\(record.mentions.map { "\(name($0.notification)) \($0.signedDate)" }.sorted())")
        }
        for (number, stored) in notifications {
            let others = otherTexts.values.filter { $0.notification == number }.map(\.text)
            add(stored.scope, "notification", stored.uuid, "\(([stored.text] + others).sorted())")
        }
        for (subject, history) in claims where !history.events.isEmpty {
            add(subject.key.scope, "claims", "\(subject.isAccount)", subject.key.name.text, "\(history.events)")
        }
        for (key, history) in grants { add(key.scope, "grant", key.name.text, "\(history.events)") }
        for (key, stored) in originalPurchases {
            add(key.scope, "original_purchase", stored.subject, stored.kind.name, stored.text)
        }
        for (key, instant) in erasures { add(key.scope, "erasure", key.name.text, "\(instant)") }
        return lines.sorted().joined(separator: "\n")
    }

    /// Returns the UUID of the notification, or the text of the signed fact, that a source number identifies.
    private func name(_ source: Int64) -> String {
        source < 0 ? signedFacts[-source]?.text ?? "" : notifications[source]?.uuid ?? ""
    }
}
