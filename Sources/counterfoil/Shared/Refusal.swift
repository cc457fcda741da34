internal import Ledger
import AppStoreModels
import Foundation

/// A command's work came to a definite no: the exit status is 1.
struct Refusal: Error {
    /// What programs branch on, in snake case: the code of the error that was met, if it has one.
    let code: String
    /// What is wrong and what to do, for people.
    let message: String
    /// What standard error shows after `refused`.
    let line: String
    /// The object that `--json` prints.
    let object: String

    private struct Failure: Encodable {
        let object = "error"
        let code: String
        let message: String
    }

    /// - Parameters:
    ///   - line: What standard error shows, if it is more than code and message.
    ///   - object: What `--json` prints, if it is more than code and message.
    init(code: String, message: String, line: String? = nil, object: String? = nil) {
        (self.code, self.message) = (code, message)
        self.line = line ?? "\(code): \(message)"
        self.object = object ?? Self.object(code, message)
    }

    /// The refusal for an error that no command has foreseen. What errors of other libraries say may quote what they read, so
    /// only those about files are told.
    init(unexpected error: any Error) {
        switch error {
        case let error as any CounterfoilError: self.init(code: "\(error.code)", message: error.message.printable)
        case let error as StorageError: self.init(code: error.code.rawValue, message: error.message.printable)
        case let error as CocoaError: self.init(code: "failed", message: error.localizedDescription.printable)
        case _ where type(of: error) is NSError.Type:
            self.init(code: "failed", message: error.localizedDescription.printable)
        default: self.init(code: "failed", message: error.logReason.printable)
        }
    }

    /// A failure in the shape of the server's errors.
    static func object(_ code: String, _ message: String) -> String {
        JSONText.encode(Failure(code: code, message: message))
    }
}
