import AppStoreModels
import Foundation
internal import Ledger

/// The error of a command that was refused or failed. The exit status is 1.
struct Refusal: Error {
    /// The error code for programs, in snake case: that of the underlying error, if it has one.
    let code: String
    /// The message for people: what is wrong and what to do.
    let message: String
    /// The text that standard error shows after `refused`.
    let line: String
    /// The object that `--json` prints.
    let object: String

    /// - Parameters:
    ///   - line: The text on standard error. Default: code and message.
    ///   - object: The JSON that `--json` prints. Default: an object with code and message.
    init(code: String, message: String, line: String? = nil, object: String? = nil) {
        (self.code, self.message) = (code, message)
        self.line = line ?? "\(code): \(message)"
        self.object = object ?? Self.object(code, message)
    }

    /// Makes the refusal for an error that no command handles.
    ///
    /// Uses the messages of this package's errors and of errors about files. For other errors it uses `logReason`,
    /// because messages of other libraries may quote the data that they read.
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

    /// Returns a JSON object in the format of the server's errors.
    static func object(_ code: String, _ message: String) -> String {
        JSONText.encode(["object": "error", "code": code, "message": message])
    }
}
