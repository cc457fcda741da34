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

    /// Collects the templates that the store's payloads refer to, in the order of their first use.
    package convenience init(of store: Store) {
        var known: Set<ObjectIdentifier> = []
        func newTemplate<Payload>(of payload: Packed<Payload>) -> PayloadTemplate<Payload>? {
            guard let template = payload.template, known.insert(ObjectIdentifier(template)).inserted else { return nil }
            return template
        }
        var transactions = store.transactions.values.compactMap { newTemplate(of: $0.$payload) }
        var renewalInfos: [PayloadTemplate<JWSRenewalInfoDecodedPayload>] = []
        for notification in store.notifications {
            guard case .purchase(let purchase) = notification.content else { continue }
            if let template = newTemplate(of: purchase.$payload) { transactions.append(template) }
            if let renewal = purchase.renewal, let template = newTemplate(of: renewal) { renewalInfos.append(template) }
        }
        self.init(transactions, renewalInfos)
    }

    package static let damaged = SimulatorError(.corrupted, "the snapshot is damaged")

    package func number(of template: AnyObject) -> Int? { numbers[ObjectIdentifier(template)] }
}

extension SingleValueDecodingContainer {
    /// Returns the string; nil if the value is of another type.
    package func decodeText() throws -> String? {
        do { return try decode(String.self) } catch DecodingError.typeMismatch { return nil }
    }
}
