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
    /// All that counts, in the order of its keys and without the numbers that it got here.
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
        for (number, kept) in notifications {
            let others = otherTexts.values.filter { $0.notification == number }.map(\.text)
            add(kept.scope, "notification", kept.uuid, "\(([kept.text] + others).sorted())")
        }
        for (subject, history) in claims where !history.events.isEmpty {
            add(subject.key.scope, "claims", "\(subject.isAccount)", subject.key.name.text, "\(history.events)")
        }
        for (key, history) in grants { add(key.scope, "grant", key.name.text, "\(history.events)") }
        for (key, kept) in originalPurchases {
            add(key.scope, "original_purchase", kept.subject, kept.kind.name, kept.text)
        }
        for (key, instant) in erasures { add(key.scope, "erasure", key.name.text, "\(instant)") }
        return lines.sorted().joined(separator: "\n")
    }

    /// What a number stands for: the name of a notification, or a statement's text.
    private func name(_ source: Int64) -> String {
        source < 0 ? statements[-source]?.text ?? "" : notifications[source]?.uuid ?? ""
    }
}
