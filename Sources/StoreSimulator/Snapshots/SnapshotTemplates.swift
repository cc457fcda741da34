package import AppStoreModels

/// The templates that the payloads of a snapshot are written as differences from. Each is in the snapshot once, and has its
/// place there as its number.
package final class SnapshotTemplates: Sendable {
    package let transactions: [PayloadTemplate<JWSTransactionDecodedPayload>]
    package let renewalInfos: [PayloadTemplate<JWSRenewalInfoDecodedPayload>]
    private let numbers: [ObjectIdentifier: Int]

    /// Those of the snapshot that is being written or read here. Elsewhere payloads are coded whole.
    @TaskLocal package static var current: SnapshotTemplates?

    package init(
        _ transactions: [PayloadTemplate<JWSTransactionDecodedPayload>] = [],
        _ renewalInfos: [PayloadTemplate<JWSRenewalInfoDecodedPayload>] = []
    ) {
        (self.transactions, self.renewalInfos) = (transactions, renewalInfos)
        var numbers: [ObjectIdentifier: Int] = [:]
        for (number, template) in transactions.enumerated() { numbers[ObjectIdentifier(template)] = number }
        for (number, template) in renewalInfos.enumerated() { numbers[ObjectIdentifier(template)] = number }
        self.numbers = numbers
    }

    /// All that the store's payloads are kept as differences from.
    package convenience init(of store: Store) {
        var used = TemplatesInUse()
        for transaction in store.transactions.values { used.add(transaction.$payload) }
        for notification in store.notifications {
            if case .purchase(let purchase) = notification.content { purchase.add(to: &used) }
        }
        self.init(used.transactions, used.renewalInfos)
    }

    package static let damaged = SimulatorError("corrupted", "the snapshot is damaged")

    package func number(of template: AnyObject) -> Int? { numbers[ObjectIdentifier(template)] }
}

/// Templates, each once, in the order in which they were met.
package struct TemplatesInUse {
    private var known: Set<ObjectIdentifier> = []
    fileprivate var transactions: [PayloadTemplate<JWSTransactionDecodedPayload>] = []
    fileprivate var renewalInfos: [PayloadTemplate<JWSRenewalInfoDecodedPayload>] = []

    package mutating func add(_ payload: Packed<JWSTransactionDecodedPayload>) {
        if let template = payload.template, known.insert(ObjectIdentifier(template)).inserted {
            transactions.append(template)
        }
    }

    package mutating func add(_ payload: Packed<JWSRenewalInfoDecodedPayload>) {
        if let template = payload.template, known.insert(ObjectIdentifier(template)).inserted {
            renewalInfos.append(template)
        }
    }
}

extension SingleValueDecodingContainer {
    /// The text, if it is one.
    package func decodeText() throws -> String? {
        do { return try decode(String.self) } catch DecodingError.typeMismatch { return nil }
    }
}
