package import Foundation

// When things are signed.
//
// Whoever reads signed texts puts them in order by their dates, and cannot know which of two of one instant is newer. The App
// Store hardly ever signs two in one millisecond. A clock that stands still would all the time: so each change is signed a
// millisecond later than the one before. Only signatures have these dates. What happens goes by the clock.

extension Store {
    /// When what is read at `now` is signed: not before the last change, and before any change that is still to come at this
    /// instant. However much is read, no date moves.
    package func signature(at now: Date) -> Date {
        let before = (now - 0.001).wholeMilliseconds
        return lastSigned.map { max($0, before) } ?? before
    }

    /// When a change at `now` is signed: later than every change before it.
    @discardableResult
    mutating func moveSignature(at now: Date) -> Date {
        let date = lastSigned.map { max(now, $0.after(0.001)) } ?? now
        lastSigned = date
        return date
    }
}

extension StoreCommand {
    /// Whether it can change what a signed text says, also where no notification tells.
    var changesSignedTexts: Bool {
        switch self {
        case .createCustomer, .releaseVersion, .failBilling, .requestRefund, .finish, .answerConsumptionRequest,
            .createExternalPurchaseToken, .reportExternalPurchaseToken, .requestTestNotification, .joinGroup,
            .approveMessage, .rejectMessage, .approveImage, .rejectImage, .installApp, .goOffline, .goOnline, .sync,
            .askToBuy, .stopAskingToBuy, .declinePurchase, .planPurchase, .repeatUpdate, .holdUpdates, .releaseUpdates,
            .breakVerification, .hideRenewals, .assignVolumePurchase, .revokeVolumePurchase, .refreshReceipt:
            false
        default: true
        }
    }
}
