public import Basics
public import Ledger

// What a configuration is made of belongs to the floors that use it. Who writes one needs only this library.

/// A text that only those who need it may see.
public typealias Secret = Ledger.Secret
/// A range of addresses, such as `17.0.0.0/8`.
public typealias Network = Basics.Network
