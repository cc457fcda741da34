import AppStoreModels
import StoreSimulator

/// Returns the `APIFailure` that `work` throws, or nil when it succeeds. Rethrows other errors.
func failure<Value>(_ work: () throws -> Value) throws -> APIFailure? {
    do {
        _ = try work()
        return nil
    } catch let failure as APIFailure {
        return failure
    }
}

/// Returns the code of the `APIFailure` that `work` throws. If it has no code, returns its HTTP status as a code.
func code<Value>(_ work: () throws -> Value) throws -> APIErrorCode? {
    try failure(work).map { $0.code ?? APIErrorCode(rawValue: Int64($0.status)) }
}
