import Basics
import Foundation
import Testing

@Suite struct `The reason of a failed file operation` {
    @Test(arguments: [
        (ENOSPC, "free some space"), (EDQUOT, "quota"), (EFBIG, "ulimit -f"), (EROFS, "read-only"),
        (EISDIR, "is a directory"),
    ])
    func `A system error is named in words, also as the cause of an error of Foundation`(
        number: Int32, words: String
    ) throws {
        let cause = POSIXError(try #require(POSIXErrorCode(rawValue: number)))
        let error = CocoaError(.fileWriteUnknown, userInfo: [NSUnderlyingErrorKey: cause])
        #expect(FileFailure.reason(cause).contains(words), "\(FileFailure.reason(cause))")
        #expect(FileFailure.reason(error) == FileFailure.reason(cause))
        #expect(FileFailure.isDiskFull(error) == [ENOSPC, EDQUOT].contains(number))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "this system has no /dev/full"))
    func `A write to a full disk says to free space`() throws {
        let file = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let error = #expect(throws: (any Error).self) { try file.write(contentsOf: Data("text".utf8)) }
        let failure = try #require(error)
        #expect(FileFailure.reason(failure) == "the disk is full; free some space there")
        #expect(FileFailure.isDiskFull(failure))
    }
}
