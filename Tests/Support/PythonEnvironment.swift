package import Foundation

/// Runs independent Python implementations in a virtual environment, to compare results with them.
package enum PythonEnvironment {
    /// The message of a skipped suite.
    package static let absence = "needs the Python environment that `make test` creates"

    /// Whether suites that need the environment run. If it is required but missing, they run and fail.
    package static var isEnabled: Bool { isReady || isRequired }

    private static let isRequired = ProcessInfo.processInfo.environment["COUNTERFOIL_INTEROP"] == "required"
    private static let folder = Fixtures.package.appending(path: ".build/interop-venv")
    private static let python = folder.appending(path: "bin/python")

    /// Whether the environment exists and was set up with the current requirements.
    private static let isReady: Bool = {
        let current = Fixtures.package.appending(path: "Tests/Interop/requirements.txt")
        let installed = folder.appending(path: "requirements.txt")
        return FileManager.default.isExecutableFile(atPath: python.path)
            && FileManager.default.contentsEqual(atPath: current.path, andPath: installed.path)
    }()

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Runs a script of Tests/Interop with JSON as input and output.
    ///
    /// - Throws: ``Failure`` with the script's standard error.
    package static func run<Output: Decodable>(
        _ script: String, _ input: some Encodable, for type: Output.Type = Output.self
    ) async throws -> Output {
        try JSONDecoder().decode(type, from: await run(script, JSONEncoder().encode(input)))
    }

    package static func run(_ script: String, _ input: Data) async throws -> Data {
        guard isReady else { throw Failure(description: absence) }
        let script = Fixtures.package.appending(path: "Tests/Interop/\(script)").path
        return try await Tool.inTemporaryFolder { folder in
            let (inputFile, outputFile) = (
                folder.appending(path: "questions.json"), folder.appending(path: "answers.json")
            )
            try input.write(to: inputFile)
            // -B: do not write bytecode beside the scripts.
            let outcome = try await Tool.run(python.path, ["-B", script, inputFile.path, outputFile.path])
            guard outcome.status == 0 else { throw Failure(description: outcome.errors) }
            return try Data(contentsOf: outputFile)
        }
    }
}
