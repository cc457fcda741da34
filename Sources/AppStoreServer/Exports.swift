// The models and the vocabulary of trust (`VerificationError`, `TrustAnchors`, `Verified`, …) are part of this library's
// interface; who imports the library needs no second import.
@_exported public import AppStoreModels
@_exported public import AppStoreTrust
