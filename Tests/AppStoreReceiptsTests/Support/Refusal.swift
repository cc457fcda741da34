import AppStoreTrust

/// Returns an error with this code. Errors are equal if their codes are.
func refusal(_ code: VerificationError.Code) -> VerificationError { VerificationError(code, "") }
