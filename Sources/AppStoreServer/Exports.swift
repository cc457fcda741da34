// The models and the types of AppStoreTrust (`VerificationError`, `TrustAnchors`, `Verified`, …) are part of this
// library's interface, so one import is enough.
@_exported public import AppStoreModels
@_exported public import AppStoreTrust
