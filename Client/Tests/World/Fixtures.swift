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
    package var environment: String? {
        switch kind {
        case .report(let report): report.environment
        case .fetch(let environment), .merge(_, let environment): environment
        }
    }
    package var transactions: [DeviceTransaction] {
        report?.signedTransactions.compactMap { DeviceTransaction(jws: $0, isVerified: true) } ?? []
    }
    package var ids: [UInt64] { transactions.map(\.id) }
}

/// A subscription status with a renewal info.
package func status(_ transaction: DeviceTransaction, _ state: RenewalState = .subscribed, signed: Date = t0)
    -> DeviceStatus
{
    DeviceStatus(
        state: state, transaction: transaction, renewalJWS: "renewal-\(transaction.id)", renewalSignedDate: signed,
        gracePeriodExpirationDate: state == .inGracePeriod ? t0 + 16 * day : nil, isVerified: true)
}

extension ClientEvent {
    package static func updated(_ transaction: DeviceTransaction) -> Self { .store(.transaction(transaction)) }
    package static var statusesChanged: Self { .store(.statuses) }
}

/// A generator of pseudo-random numbers with a seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
