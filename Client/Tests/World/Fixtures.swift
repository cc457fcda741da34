import CounterfoilClient
import CounterfoilClientTesting
import Foundation

package let t0 = Date(timeIntervalSince1970: 1_750_000_000)
package let anna = "8c0e2b6e-0000-4000-8000-00000000000a"
package let bert = "8c0e2b6e-0000-4000-8000-00000000000b"
package let hour: TimeInterval = 3600
package let day: TimeInterval = 24 * 3600
package let year: TimeInterval = 365 * 24 * 3600

extension ClientRequest {
    package var report: PurchaseReport? { if case .report(let report) = kind { report } else { nil } }
    package var isFetch: Bool { if case .fetch = kind { true } else { false } }
    package var isMerge: Bool { if case .merge = kind { true } else { false } }
    package var transactions: [DeviceTransaction] {
        report?.signedTransactions.compactMap { DeviceTransaction(jws: $0, isVerified: true) } ?? []
    }
    package var ids: [UInt64] { transactions.map(\.id) }
}

/// The state of a subscription.
package func status(_ transaction: DeviceTransaction, _ state: RenewalState = .subscribed, signed: Date = t0)
    -> DeviceStatus
{
    DeviceStatus(
        state: state, transaction: transaction, renewalJWS: "renewal-\(transaction.id)", renewalSignedDate: signed,
        gracePeriodExpirationDate: state == .inGracePeriod ? t0 + 16 * day : nil, isVerified: true)
}
