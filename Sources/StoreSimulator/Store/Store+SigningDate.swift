package import Foundation

// Signing dates.
//
// Readers of signed payloads order them by signing date and cannot order two with the same date. The App Store hardly
// ever signs two in one millisecond; a frozen clock would do so all the time. Therefore each change is signed at least
// a millisecond later than the previous one. Only signing dates are shifted; all other dates follow the clock.

extension Store {
    /// Returns the signing date of payloads read at `now`: not before the last change, and before any later change at
    /// this instant. Reads do not change any date.
    package func signingDate(at now: Date) -> Date {
        let before = (now - 0.001).wholeMilliseconds
        return lastSigned.map { max($0, before) } ?? before
    }

    /// Returns a new signing date for a change at `now`, later than that of every previous change.
    @discardableResult
    mutating func advanceSigningDate(at now: Date) -> Date {
        let date = lastSigned.map { max(now, $0.after(0.001)) } ?? now
        lastSigned = date
        return date
    }
}

extension StoreCommand {
    /// Whether the command can change the content of signed payloads even if it causes no notification.
    var changesSignedPayloads: Bool {
        switch self {
        case .createCustomer, .releaseVersion, .failBilling, .requestRefund, .finish, .answerConsumptionRequest,
            .createExternalPurchaseToken, .reportExternalPurchaseToken, .requestTestNotification, .joinGroup,
            .approveMessage, .rejectMessage, .approveImage, .rejectImage, .installApp, .goOffline, .goOnline, .sync,
            .askToBuy, .stopAskingToBuy, .declinePurchase, .setNextPurchaseResult, .resendUpdate, .holdUpdates,
            .releaseUpdates,
            .failVerification, .hideRenewals, .assignVolumePurchase, .revokeVolumePurchase, .refreshReceipt:
            false
        default: true
        }
    }
}
