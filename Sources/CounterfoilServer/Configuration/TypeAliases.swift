public import Basics
public import Ledger
public import LedgerServices

// The types of some settings belong to the modules that use them. With these aliases and the re-exports in
// Exports.swift, users of this library write a configuration without importing those modules.

/// A text that is not printed or logged.
public typealias Secret = Ledger.Secret
/// An IP network, such as `17.0.0.0/8`.
public typealias Network = Basics.Network
/// The policy for answering the App Store's consumption requests, which precede a refund decision.
public typealias ConsumptionPolicy = Ledger.ConsumptionPolicy

extension ServerConfiguration {
    /// The settings of an app.
    public typealias App = AppSettings
    /// A key for the App Store Server API, created in App Store Connect.
    public typealias APIKey = AppSettings.APIKey
    /// A key that signs responses about customers.
    public typealias ResponseSigningKey = LedgerServices.ResponseSigningKey
    /// The policy for a customer who restores a purchase that belongs to another customer.
    public typealias RestorePolicy = Ledger.RestorePolicy
}
