import Basics
import Foundation
import TestSupport
import Testing

@Suite struct `A private file` {
    private static func permissions(of file: URL) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test func `A new private file has its permissions before anything else happens to it`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "file")
            let handle = try FileHandle.creatingPrivateFile(at: file.path)
            #expect(try Self.permissions(of: file) == 0o600)
            try handle.write(contentsOf: Data("text".utf8))
            try handle.close()
            #expect(try Data(contentsOf: file) == Data("text".utf8))
        }
    }

    /// Whoever may read an existing file could read what is written to it.
    @Test func `An existing file or link is not opened as a new private file`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let (file, link) = (folder.appending(path: "file"), folder.appending(path: "link"))
            try Data("old".utf8).write(to: file)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.appending(path: "other"))
            for path in [file.path, link.path] {
                let error = #expect(throws: POSIXError.self) { try FileHandle.creatingPrivateFile(at: path) }
                #expect(error?.code == .EEXIST)
            }
            #expect(try Data(contentsOf: file) == Data("old".utf8))
        }
    }

    @Test func `A private file is created or continued, but not through a link`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let (file, link) = (folder.appending(path: "file"), folder.appending(path: "link"))
            for text in ["one", "two"] {
                let handle = try FileHandle.openingPrivateFile(at: file.path)
                try handle.seekToEnd()
                try handle.write(contentsOf: Data(text.utf8))
                try handle.close()
            }
            #expect(try Data(contentsOf: file) == Data("onetwo".utf8))
            #expect(try Self.permissions(of: file) == 0o600)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            let error = #expect(throws: POSIXError.self) { try FileHandle.openingPrivateFile(at: link.path) }
            #expect(error?.code == .ELOOP)
        }
    }

    @Test func `Private data replace a file that others may read, and leave no other file`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "file")
            try Data("old".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            try Data("new".utf8).writePrivately(to: file)
            #expect(try Data(contentsOf: file) == Data("new".utf8))
            #expect(try Self.permissions(of: file) == 0o600)
            let missing = folder.appending(path: "missing").appending(path: "file")
            let error = #expect(throws: POSIXError.self) { try Data().writePrivately(to: missing) }
            #expect(error?.code == .ENOENT)
            // A folder cannot be replaced.
            let other = folder.appending(path: "folder")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
            #expect(throws: POSIXError.self) { try Data("new".utf8).writePrivately(to: other) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["file", "folder"])
        }
    }
}
