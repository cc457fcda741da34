package import AppStoreModels
internal import Basics
package import Foundation

/// A token for purchases outside the App Store, and its reporting state.
package struct ExternalPurchase: Sendable, Codable {
    package let token: ExternalPurchaseToken
    package var isReported = false
    package var due: Date?
}

extension Store {
    /// The number of days in which the developer has to report a token. We know of no number that Apple documents.
    static let reportingDays = 60
    /// The lifetime of a custom link's token.
    static let tokenLifetime = Period.year

    mutating func createExternalPurchaseToken(_ type: ExternalPurchaseTokenType?, at now: Date) -> Subject {
        let id = (isSandbox ? "SANDBOX_" : "") + identifiers.uuid()
        var token = ExternalPurchaseToken(
            externalPurchaseId: id, tokenCreationDate: now, appAppleId: app.appAppleID, bundleId: app.bundleID)
        var due = now.after(Double(Self.reportingDays) * 86_400)
        if let type {
            token.tokenType = type
            token.tokenExpirationDate = Self.tokenLifetime.date(after: now)
            due = Period.month.date(after: now)
            announce(.externalPurchaseToken, .created, .externalPurchaseToken(token), customer: nil, at: now)
        }
        externalPurchases[id] = ExternalPurchase(token: token, due: due)
        schedule.add(.externalPurchaseToken(id), at: due)
        return Subject(token: id)
    }

    mutating func reportExternalPurchaseToken(_ id: String, isDuplicate: Bool) throws(StoreError) -> Subject {
        guard let purchase = externalPurchases[id] else {
            throw StoreError(.invalidArgument, "there is no external purchase token \(id.quoted)")
        }
        guard !purchase.isReported else {
            throw StoreError(.impossibleTransition, "the token was reported already")
        }
        externalPurchases[id]?.isReported = true
        if isDuplicate { externalPurchases[id]?.due = nil }
        return Subject(token: id)
    }

    /// Sends the monthly reminder of a custom link's token while the token is active, whether or not its purchases were
    /// reported. Otherwise sends that the token was not reported, if it was not. Sends nothing about a duplicate.
    mutating func sendTokenReminder(_ id: String, at now: Date) {
        guard let purchase = externalPurchases[id], purchase.due == now else { return }
        externalPurchases[id]?.due = nil
        let expires = purchase.token.tokenExpirationDate ?? now
        guard expires > now || !purchase.isReported else { return }
        announce(
            .externalPurchaseToken, expires > now ? .activeTokenReminder : .unreported,
            .externalPurchaseToken(purchase.token), customer: nil, at: now)
        guard expires > now else { return }
        let next = min(Period.month.date(after: now), expires)
        externalPurchases[id]?.due = next
        schedule.add(.externalPurchaseToken(id), at: next)
    }
}
