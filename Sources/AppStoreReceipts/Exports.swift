// Code that validates receipts also needs AppStoreEnvironment, VerificationError, TrustAnchors, Verified and
// VerificationTrace.
@_exported public import AppStoreModels
@_exported public import AppStoreTrust
