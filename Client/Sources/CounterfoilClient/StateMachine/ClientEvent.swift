package import Foundation

/// An event that the state machine handles.
package indirect enum ClientEvent: Sendable {
    /// The app was started. `fresh` is the identifier of an anonymous customer, if the client needs one.
    case started(device: DeviceRecord?, customer: CustomerRecord?, fresh: UUID)
    case signedIn(customer: String, token: String?)
    case signedOut(fresh: UUID)
    case foreground
    case store(StoreUpdate)
    /// The app reported a purchase that it made without this client.
    case recorded(DeviceTransaction)
    case buy(call: Int, productID: String, options: PurchaseOptions)
    case bought(call: Int, Result<PurchaseResult, PurchaseClientError>)
    case restore(call: Int)
    case synced(call: Int, reachedAppStore: Bool)
    case gathered(Int, GatheredPart)
    case answered(request: Int, CustomerResponse)
    case failed(request: Int, BackendFailure)
    /// The result of a request for a token. A session may return another customer than the requested one.
    case token(customer: String, Result<CustomerCredential, BackendFailure>)
    case delivered(UInt64, Bool)
    case timer(ClientTimer)
}

/// One part of the device's data.
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
    /// Limits the time for which ``Customer/Readiness/checking`` hides the buy button.
    case readiness
    case gathering(Int)
    case request(Int)
    /// Limits the wait for a token. The app's closure may never return.
    case token
    /// Limits the wait of a call to buy or restore.
    case call(Int)
    case retry
    case entitlementEnd
}

/// An action that the client has to carry out. Saving records comes first.
package indirect enum ClientEffect: Sendable {
    case saveDevice(DeviceRecord)
    case saveCustomer(CustomerRecord?)
    case publish(Customer)
    case gather(Int, GatheredPart.Name)
    case send(Int, ClientRequest)
    case cancel(request: Int)
    case requestToken(customer: String, isAnonymous: Bool)
    case purchase(call: Int, productID: String, options: PurchaseOptions)
    case sync(call: Int)
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

/// The result of a purchase.
public enum PurchaseOutcome: Equatable, Sendable {
    /// The product was bought. The confirmation is the server's state of the purchase.
    indirect case purchased(DeviceTransaction, Confirmation)
    /// The purchase needs approval, such as Ask to Buy or by the bank. The transaction may come later.
    case pending
    /// The customer cancelled the purchase.
    case cancelled

    /// The server's state of a purchase.
    public enum Confirmation: Hashable, Sendable {
        /// The server has stored the transaction.
        case stored
        /// The server has not responded yet. The purchase is safe: the client continues to report it.
        case awaitingServer
        /// The purchase belongs to another customer, and your restore policy does not move it.
        case belongsToAnotherCustomer
        /// The transaction stays unfinished; ``PurchaseClient/stuck`` has the reason.
        case stuck
    }
}

/// The result of a restore.
public struct RestoreOutcome: Equatable, Sendable {
    /// The customer's state after the restore.
    public var customer: Customer
    /// Whether the synchronisation with the App Store succeeded. If not, the reason is unknown: StoreKit reports
    /// "cancelled" also if there is no network.
    public var reachedAppStore: Bool
    /// The failure of the server request, if it failed. A purchase that stays with another customer is not a failure:
    /// see ``ClientNotice/belongsToAnotherCustomer(_:)``.
    public var failure: BackendFailure?
}

/// A notice about a problem outside a call of the app.
public indirect enum ClientNotice: Equatable, Sendable {
    /// StoreKit could not verify a transaction. The client neither reports nor finishes it.
    case unverified(DeviceTransaction)
    /// A purchase on this device belongs to another customer and is not moved.
    case belongsToAnotherCustomer(DeviceTransaction)
    /// A transaction cannot be reported, for example because the server refuses it.
    case stuck(StuckTransaction)
    /// The server refuses every request: a wrong key, a wrong URL, or no token. The client sends nothing more until the
    /// next launch, sign-in or restore. If the code is `customer_erased`, sign the customer out: the next report would
    /// claim the purchases for them again.
    ///
    /// If the response may not come from your server, the client continues to retry and reports this once in a launch:
    /// an error without the server's code, such as `http_404`, a response that the ``ResponseVerifier`` rejects, or JSON
    /// that does not describe the customer. For such JSON the code is `invalid_response`, and the message says why.
    case misconfigured(BackendFailure)
    /// An anonymous customer could not be merged into the account.
    case mergeFailed(BackendFailure)
    /// A record could not be saved or read; reported once in a launch for each record. While a record cannot be read,
    /// the client waits, and purchases and restores fail with ``PurchaseClientError/Code/storageFailed``.
    case storage(String)
}

/// The error of a call to the client.
public struct PurchaseClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code in snake case.
        public let description: String

        /// No customer is signed in.
        public static var notSignedIn: Self { Self(description: "not_signed_in") }
        /// The customer's identifier is invalid: expected 1 to 255 bytes, and neither `.` nor `..`.
        public static var invalidCustomer: Self { Self(description: "invalid_customer") }
        /// The store could not load the product, perhaps without a network. The purchase did not start.
        public static var productNotLoaded: Self { Self(description: "product_not_loaded") }
        /// The store does not have the product or the offer, or refused the purchase. No transaction can follow.
        public static var purchaseRefused: Self { Self(description: "purchase_refused") }
        /// The store failed in another way. The App Store may still complete the purchase.
        public static var storeFailed: Self { Self(description: "store_failed") }
        /// The storage of the client's records cannot be read yet. The store was not called.
        public static var storageFailed: Self { Self(description: "storage_failed") }
        /// The customer signed out or another one signed in during the call. Purchases are not lost.
        public static var customerChanged: Self { Self(description: "customer_changed") }
        /// The client was stopped.
        public static var stopped: Self { Self(description: "stopped") }
    }

    /// The kind of failure.
    public let code: Code
    /// The problem, for people. If the store or the storage failed, the description of its error.
    public let message: String
    /// Whether the same call may succeed later without changes. False after ``Code/storeFailed``: a second purchase
    /// could be charged as well.
    public var isRetryable: Bool { code == .productNotLoaded || code == .storageFailed }
    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    package static var notSignedIn: Self { Self(.notSignedIn, "No customer is signed in.") }
    package static var invalidCustomer: Self { Self(.invalidCustomer, "Expected 1 to 255 bytes, and neither . nor ..") }
    package static var customerChanged: Self { Self(.customerChanged, "The customer changed during the call.") }
    package static var stopped: Self { Self(.stopped, "The client was stopped.") }

    /// Makes an error, for tests and for your own ``PurchaseStore``.
    public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}
