import ArgumentParser
import Foundation

/// Reads what a command is given: a file, or standard input for `-`.
enum Input {
    /// Says so where there is no such file, or a folder instead: a matter of usage, whatever it was to be.
    static func requireFile(_ path: String) throws {
        guard path != "-" else { return }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw ValidationError("\(path.printable) does not exist.")
        }
        guard !isDirectory.boolValue else {
            throw ValidationError("\(path.printable) is a folder; name a file in it.")
        }
    }

    /// The contents of `path`, at most `maximumBytes` and one more, so that what is too large is seen to be.
    static func read(_ path: String, maximumBytes: Int) throws -> Data {
        let handle: FileHandle
        if path == "-" {
            handle = .standardInput
        } else {
            try requireFile(path)
            do {
                handle = try FileHandle(forReadingFrom: URL(filePath: path))
            } catch {
                throw ValidationError("\(path) cannot be read: check its permissions.")
            }
        }
        var data = Data()
        do {
            while data.count <= maximumBytes, let chunk = try handle.read(upToCount: maximumBytes + 1 - data.count),
                !chunk.isEmpty
            {
                data.append(chunk)
            }
        } catch {
            throw ValidationError("\(path) cannot be read.")
        }
        return data
    }

    /// A text without the one line break that files and `echo` end with. Anything else in it is left for the verifier to
    /// judge; bytes that are not UTF-8 become U+FFFD, which no verifier accepts.
    static func text(_ path: String, maximumBytes: Int) throws -> String {
        var data = try read(path, maximumBytes: maximumBytes + 2)
        if data.last == UInt8(ascii: "\n") { data.removeLast() }
        if data.last == UInt8(ascii: "\r") { data.removeLast() }
        return String(decoding: data, as: UTF8.self)
    }
}
