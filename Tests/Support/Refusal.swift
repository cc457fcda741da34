package import AppStoreTrust

/// The code of the refusal that `verify` throws; nil when it throws nothing. Other errors pass through.
package func refusal<Value>(_ verify: () async throws -> Value) async throws -> VerificationError.Code? {
    do {
        _ = try await verify()
        return nil
    } catch let error as VerificationError {
        return error.code
    }
}
