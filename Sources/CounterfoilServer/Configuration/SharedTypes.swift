public import Basics
public import Ledger
public import LedgerServices

// What a configuration is made of belongs to the floors that use it. Who writes one needs only this library.

/// A text that only those who need it may see.
public typealias Secret = Ledger.Secret
/// A range of addresses, such as `17.0.0.0/8`.
public typealias Network = Basics.Network
/// How the App Store's questions before a refund are answered.
public typealias ConsumptionPolicy = LedgerServices.ConsumptionPolicy

extension ServerConfiguration {
    /// One app and what its owner knows about it.
    public typealias App = AppSettings
    /// A key from App Store Connect for the App Store Server API.
    public typealias APIKey = AppSettings.APIKey
    /// A key that signs answers about customers.
    public typealias AnswerKey = LedgerServices.AnswerKey
    /// What happens when a purchase that belongs to one customer is restored by another.
    public typealias RestorePolicy = Ledger.RestorePolicy
}
