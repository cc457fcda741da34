package import Foundation

/// Why an operation on a file failed, and what to do.
package enum FileFailure {
    /// Returns the reason. It completes a sentence such as `ledger.jsonl cannot be written: `.
    ///
    /// Foundation's own description of most errors is a number.
    package static func reason(_ error: any Error) -> String {
        guard let number = systemError(error) else { return error.localizedDescription }
        return switch number {
        case ENOSPC: "the disk is full; free some space there"
        case EDQUOT: "the user's quota of the disk is reached; free some space there, or raise it"
        case EFBIG: "a limit of file sizes is reached; raise it (`ulimit -f`)"
        case EROFS: "the file system is mounted read-only; check the disk, and mount it for writing"
        default: String(cString: strerror(number)).lowercased()
        }
    }

    /// Whether the disk is full, or the user's quota is reached.
    package static func isDiskFull(_ error: any Error) -> Bool {
        systemError(error).map { [ENOSPC, EDQUOT].contains($0) } ?? false
    }

    /// The error of the system's last call that failed on this thread.
    package static var lastSystemError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// Returns the system's error number, if the error has one.
    private static func systemError(_ error: any Error) -> Int32? {
        if let error = error as? POSIXError { return error.code.rawValue }
        switch (error as? CocoaError)?.userInfo[NSUnderlyingErrorKey] {
        case let cause as POSIXError: return cause.code.rawValue
        case let cause as NSError where cause.domain == NSPOSIXErrorDomain: return Int32(exactly: cause.code)
        default: return nil
        }
    }
}
