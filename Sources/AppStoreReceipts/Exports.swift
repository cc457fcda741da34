// Whoever validates receipts names VerificationError, TrustAnchors, Verified and VerificationTrace.
@_exported public import AppStoreTrust
