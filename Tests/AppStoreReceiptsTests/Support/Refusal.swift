import AppStoreTrust

/// The error with this code: errors are equal when their codes are.
func refusal(_ code: VerificationError.Code) -> VerificationError { VerificationError(code, "") }
