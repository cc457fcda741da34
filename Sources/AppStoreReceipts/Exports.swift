// Code that validates receipts also needs VerificationError, TrustAnchors, Verified and VerificationTrace.
@_exported public import AppStoreTrust
