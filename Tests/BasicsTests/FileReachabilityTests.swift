import Basics
import Foundation
import TestSupport
import Testing

@Suite struct `The reachability of a file` {
    @Test func `A missing file does not exist, and a path that cannot be followed is another problem`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "file")
            #expect(FileReachability.problem(at: file.path) == "does not exist")
            try Data().write(to: file)
            #expect(FileReachability.problem(at: file.path) == nil)
            #expect(FileReachability.problem(at: folder.path) == nil)
            #expect(FileReachability.problem(at: file.path + "/below") == "does not exist")
            let long = FileReachability.problem(at: folder.path + "/" + String(repeating: "a", count: 300))
            #expect(long?.hasPrefix("cannot be reached: ") == true, "\(long ?? "")")
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may search every folder"))
    func `A file in a folder that the user may not search is not reported as missing`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let closed = folder.appending(path: "closed")
            try FileManager.default.createDirectory(at: closed, withIntermediateDirectories: false)
            try Data().write(to: closed.appending(path: "file"))
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: closed.path)
            let problem = FileReachability.problem(at: closed.path + "/file")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: closed.path)
            #expect(problem?.contains("may not search a folder") == true, "\(problem ?? "")")
        }
    }
}
