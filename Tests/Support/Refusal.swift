package import AppStoreTrust

/// Returns the code of the error that `verify` throws, or nil if it throws none. Other errors are rethrown.
package func refusal<Value>(_ verify: () async throws -> Value) async throws -> VerificationError.Code? {
    do {
        _ = try await verify()
        return nil
    } catch let error as VerificationError {
        return error.code
    }
}
