import Foundation
import TestSupport

/// The built command, run as a process of its own.
enum Command {
    struct Outcome: Sendable {
        /// The exit status; 128 and the signal's number after a crash.
        let status: Int32
        let output: String
        let errors: String

        /// The output as one JSON object.
        func object() throws -> [String: Any] {
            let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
            guard let object = value as? [String: Any], output.hasSuffix("}\n"),
                output.count(where: { $0 == "\n" }) == 1
            else {
                throw CocoaError(.coderReadCorrupt)
            }
            return object
        }
    }

    struct NotBuilt: Error, CustomStringConvertible {
        let description: String
    }

    /// The executable lies beside the bundle of the tests.
    static func executable() throws -> URL {
        let bundles = Bundle.allBundles.map(\.bundleURL) + CommandLine.arguments.prefix(1).map { URL(filePath: $0) }
        for folder in bundles.flatMap({ [$0, $0.deletingLastPathComponent()] }) {
            let candidate = folder.appending(path: "counterfoil")
            if FileManager.default.isExecutableFile(atPath: candidate.path),
                (try? candidate.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
            {
                return candidate
            }
        }
        throw NotBuilt(description: "no executable counterfoil beside \(bundles.map(\.path))")
    }

    /// Runs the command with these arguments and this input, and waits for its end.
    static func run(
        _ arguments: [String], stdin: Data = Data(), environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await run(executable(), arguments, stdin: stdin, environment: environment)
    }

    /// Runs any program, in `directory` if there is one, and waits for its end.
    static func run(
        _ executable: URL, _ arguments: [String], stdin: Data = Data(), environment: [String: String] = [:],
        in directory: URL? = nil
    ) async throws -> Outcome {
        try await Tool.inTemporaryFolder { folder in
            // Files, not pipes: neither side waits for the other, and a command that stops reading kills nobody.
            func handles(_ name: String, _ contents: Data = Data()) throws -> URL {
                let file = folder.appending(path: name)
                try contents.write(to: file)
                return file
            }
            let (input, output, errors) = (try handles("in", stdin), try handles("out"), try handles("err"))
            let process = Process()
            process.executableURL = executable
            process.arguments = arguments
            process.environment = environment.merging(["TERM": "xterm-256color"]) { own, _ in own }
            if let directory { process.currentDirectoryURL = directory }
            process.standardInput = try FileHandle(forReadingFrom: input)
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: errors)
            let status = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Int32, any Error>) in
                process.terminationHandler = { process in
                    let crashed = process.terminationReason == .uncaughtSignal
                    done.resume(returning: (crashed ? 128 : 0) + process.terminationStatus)
                }
                do { try process.run() } catch {
                    process.terminationHandler = nil
                    done.resume(throwing: error)
                }
            }
            return Outcome(
                status: status, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
                errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
        }
    }
}
