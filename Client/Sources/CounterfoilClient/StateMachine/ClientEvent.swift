package import Foundation

/// What happens to the client.
package indirect enum ClientEvent: Sendable {
    /// The app was started. `fresh` names an anonymous customer, should one be needed.
    case started(device: DeviceRecord?, customer: CustomerRecord?, fresh: UUID)
    case signedIn(customer: String, token: String?)
    case signedOut(fresh: UUID)
    case foreground
    case store(StoreUpdate)
    /// A purchase that other code of the app made.
    case recorded(DeviceTransaction)
    case buy(call: Int, productID: String, options: PurchaseOptions)
    /// What became of a purchase, and whether the store began it at all.
    case bought(call: Int, Result<PurchaseResult, PurchaseClientError>, wasStarted: Bool = true)
    case restore(call: Int)
    case synced(reachedAppStore: Bool)
    case gathered(Int, GatheredPart)
    case answered(request: Int, CustomerAnswer)
    case failed(request: Int, BackendFailure)
    /// A session may name another customer than the one that was asked for.
    case token(customer: String, Result<CustomerCredential, BackendFailure>)
    case delivered(UInt64, Bool)
    case timer(ClientTimer)
}

/// What the device answered to one question.
package enum GatheredPart: Sendable {
    case unfinished([DeviceTransaction])
    case current([DeviceTransaction])
    case all([DeviceTransaction])
    case statuses([DeviceStatus])
    case appTransaction(String?)
    case receipt(Data?)

    package enum Name: Sendable { case unfinished, current, all, statuses, appTransaction, receipt }
}

package enum ClientTimer: Hashable, Sendable {
    /// The buy button has waited long enough.
    case readiness
    case gathering(Int)
    case request(Int)
    /// A purchase whose customer waits for an answer.
    case call(Int)
    case retry
    case entitlementEnd
}

/// What the client has to do. Records are saved before anything else is done.
package indirect enum ClientEffect: Sendable {
    case saveDevice(DeviceRecord)
    case saveCustomer(CustomerRecord?)
    case publish(Customer)
    case gather(Int, GatheredPart.Name)
    case send(Int, ClientRequest)
    case cancel(request: Int)
    case askForToken(customer: String, isAnonymous: Bool)
    case purchase(call: Int, productID: String, options: PurchaseOptions)
    case sync
    case deliver(DeviceTransaction)
    case finish(UInt64)
    case schedule(ClientTimer, after: TimeInterval)
    case unschedule(ClientTimer)
    case complete(call: Int, CallOutcome)
    case notify(ClientNotice)
}

package struct ClientRequest: Sendable {
    package enum Kind: Sendable {
        case report(PurchaseReport)
        case fetch(environment: String?)
        case merge(from: String, environment: String?)
    }

    package var credential: CustomerCredential
    package var kind: Kind
}

package indirect enum CallOutcome: Sendable {
    case purchase(PurchaseOutcome)
    case restore(RestoreOutcome)
    case failed(PurchaseClientError)
}

/// What became of a purchase.
public enum PurchaseOutcome: Hashable, Sendable {
    /// Bought. The confirmation says how far the server is.
    indirect case purchased(DeviceTransaction, Confirmation)
    /// Somebody else decides, or the bank. The transaction comes later, if at all.
    case pending
    /// The customer thought better of it.
    case cancelled

    /// How far the server is with a purchase.
    public enum Confirmation: Hashable, Sendable {
        /// The server keeps it.
        case kept
        /// The server has not answered yet. The purchase is safe, and the client goes on by itself.
        case awaited
        /// It belongs to another customer, and your restore policy leaves it there.
        case ofAnotherCustomer
        /// It stays unfinished; ``PurchaseClient/stuck`` says why.
        case stuck
    }
}

/// What came of the restore button.
public struct RestoreOutcome: Equatable, Sendable {
    /// What the customer has now.
    public var customer: Customer
    /// Whether the App Store answered. StoreKit says "cancelled" also when there is no network, so this is all there is to know.
    public var reachedAppStore: Bool
    /// Why the server could not help, if it could not.
    public var failure: BackendFailure?
}

/// Something that the app should know and that nobody asked for.
public indirect enum ClientNotice: Equatable, Sendable {
    /// StoreKit could not verify a transaction. It is neither reported nor finished.
    case unverified(DeviceTransaction)
    /// A purchase on this device belongs to another customer, and stays there.
    case ofAnotherCustomer(DeviceTransaction)
    /// The server refuses a transaction.
    case stuck(StuckTransaction)
    /// The server refuses everything: a wrong key, a wrong address, no token. Nothing more is sent until that changes.
    ///
    /// What may be somebody else's is told of once in a launch, and the client goes on asking: a refusal such as `http_404`, of a
    /// wrong address or of a network, or an answer that no key of the ``AnswerProof`` proves.
    case misconfigured(BackendFailure)
    /// An anonymous customer could not be merged into the account.
    case notMerged(BackendFailure)
    /// What had to be remembered could not be saved or read. While it cannot be read, the client waits, and a purchase or a
    /// restore fails with ``PurchaseClientError/storage(_:)``.
    case storage(String)
}

/// Why a call to the client failed.
public enum PurchaseClientError: Error, Hashable, Sendable {
    /// Nobody is signed in.
    case notSignedIn
    /// A customer's identifier has 1 to 255 bytes.
    case invalidCustomer
    /// The store threw, and said this.
    case store(String)
    /// What the client remembers cannot be read yet: the storage threw, and said this. The store was not asked.
    case storage(String)
    /// Another customer signed in meanwhile. What was bought stays safe.
    case customerChanged
    /// The client was stopped.
    case stopped
}
