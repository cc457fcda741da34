// `ConfigurationError` exposes `ConfigurationProblem`, the only public type of that module. The re-export spares users
// of this library a second import.
@_exported public import ConfigurationReading

// The types of some settings belong to modules that are not products. Without the re-exports, a user of this library
// who enables the upcoming feature `MemberImportVisibility` could not use their initialisers and properties.
@_exported public import struct Basics.Network
@_exported public import struct Ledger.ConsumptionPolicy
@_exported public import struct Ledger.RecoverySettings
@_exported public import enum Ledger.RestorePolicy
@_exported public import struct Ledger.Secret
@_exported public import struct Ledger.WebhookDefinition
@_exported public import enum Ledger.WebhookPayload
@_exported public import struct LedgerServices.AppSettings
@_exported public import struct LedgerServices.ResponseSigningKey
