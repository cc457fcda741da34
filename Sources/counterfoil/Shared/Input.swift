import ArgumentParser
import Basics
import Foundation

/// Reads a command's input: a file, or standard input for `-`.
enum Input {
    /// Throws `ValidationError`, which is wrong usage, if there is no file at `path` for this user, if it is a folder,
    /// or if it is `-`, which only some commands read. A file of that name is `./-`. `remedy` says what to do without a
    /// file.
    static func requireFile(_ path: String, remedy: String? = nil) throws {
        guard !path.isEmpty else { throw ValidationError("Name a file: the argument is empty.") }
        guard path != "-" else {
            throw ValidationError("Name a file instead of -: this is not read from standard input.")
        }
        if let problem = FileReachability.problem(at: path) {
            let advice = remedy.map { problem == FileReachability.absence ? "; \($0)" : "." } ?? "."
            throw ValidationError("\(path.printable) \(problem)\(advice)")
        }
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        guard !isDirectory.boolValue else {
            throw ValidationError("\(path.printable) is a folder; name a file in it.")
        }
    }

    /// Throws `ValidationError` if `path` is a text with this beginning instead of the file that contains it. The error
    /// does not repeat the text, which is long.
    static func requireNoText(_ path: String, beginning: String) throws {
        guard !path.hasPrefix(beginning) || FileManager.default.fileExists(atPath: path) else {
            throw ValidationError("Name the file with the text, or - for standard input, instead of the text itself.")
        }
    }

    /// Returns the contents of `path`, at most `maximumBytes + 1` bytes, so that the caller can tell that a file is too
    /// large.
    static func read(_ path: String, maximumBytes: Int) throws -> Data {
        let handle: FileHandle
        if path == "-" {
            handle = .standardInput
        } else {
            try requireFile(path)
            do {
                handle = try FileHandle(forReadingFrom: URL(filePath: path))
            } catch {
                throw ValidationError("\(path.printable) cannot be read: check its permissions.")
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
            throw ValidationError("\(path.printable) cannot be read.")
        }
        return data
    }

    /// Returns the data without the byte order mark (BOM) that some programs write before a text.
    static func withoutByteOrderMark(_ data: Data) -> Data {
        data.starts(with: [0xEF, 0xBB, 0xBF]) ? Data(data.dropFirst(3)) : data
    }

    /// Returns the contents as text, without a byte order mark at the start and one line break at the end, which files
    /// and `echo` add.
    ///
    /// Bytes that are not UTF-8 become U+FFFD, which no verifier accepts. Nothing else is changed or checked.
    static func text(_ path: String, maximumBytes: Int) throws -> String {
        var data = withoutByteOrderMark(try read(path, maximumBytes: maximumBytes + 5))
        if data.last == UInt8(ascii: "\n") { data.removeLast() }
        if data.last == UInt8(ascii: "\r") { data.removeLast() }
        return String(decoding: data, as: UTF8.self)
    }
}
