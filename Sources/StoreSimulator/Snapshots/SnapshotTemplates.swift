package import AppStoreModels

/// The templates of a snapshot. Payloads are written as differences from a template, which they refer to by its
/// position in the snapshot.
package final class SnapshotTemplates: Sendable {
    package let transactions: [PayloadTemplate<JWSTransactionDecodedPayload>]
    package let renewalInfos: [PayloadTemplate<JWSRenewalInfoDecodedPayload>]
    private let numbers: [ObjectIdentifier: Int]

    /// The templates of the snapshot that the current task writes or reads. If nil, payloads are encoded whole.
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

    /// Collects the templates that the store's payloads refer to.
    package convenience init(of store: Store) {
        var used = TemplateCollector()
        for transaction in store.transactions.values { used.add(transaction.$payload) }
        for notification in store.notifications {
            if case .purchase(let purchase) = notification.content { purchase.add(to: &used) }
        }
        self.init(used.transactions, used.renewalInfos)
    }

    package static let damaged = SimulatorError(.corrupted, "the snapshot is damaged")

    package func number(of template: AnyObject) -> Int? { numbers[ObjectIdentifier(template)] }
}

/// Collects distinct templates in the order of their first use.
package struct TemplateCollector {
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
    /// Returns the string; nil if the value is of another type.
    package func decodeText() throws -> String? {
        do { return try decode(String.self) } catch DecodingError.typeMismatch { return nil }
    }
}
