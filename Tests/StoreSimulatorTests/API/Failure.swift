import AppStoreModels
import StoreSimulator

/// What `work` fails with; nil when it succeeds. Other errors pass through.
func failure<Value>(_ work: () throws -> Value) throws -> APIFailure? {
    do {
        _ = try work()
        return nil
    } catch let failure as APIFailure {
        return failure
    }
}

/// The code that `work` fails with. A failure without a code counts as its status: 400 is code 400.
func code<Value>(_ work: () throws -> Value) throws -> APIErrorCode? {
    try failure(work).map { $0.code ?? APIErrorCode(rawValue: Int64($0.status)) }
}
