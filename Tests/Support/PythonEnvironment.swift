package import Foundation

/// The Python libraries that give a second opinion, in an environment of their own.
package enum PythonEnvironment {
    /// Why a suite is skipped.
    package static let absence = "needs the Python environment that `make test` sets up with Tests/Interop/setup"

    /// Whether its suites run. Where nothing must go unnoticed they do, and fail without it.
    package static var isWanted: Bool { isReady || isRequired }

    private static let isRequired = ProcessInfo.processInfo.environment["COUNTERFOIL_INTEROP"] == "required"
    private static let folder = Fixtures.package.appending(path: ".build/interop-venv")
    private static let python = folder.appending(path: "bin/python")

    /// Whether it is there, as it is wanted now: it may be of an earlier time.
    private static let isReady: Bool = {
        let wanted = Fixtures.package.appending(path: "Tests/Interop/requirements.txt")
        let here = folder.appending(path: "requirements.txt")
        return FileManager.default.isExecutableFile(atPath: python.path)
            && FileManager.default.contentsEqual(atPath: wanted.path, andPath: here.path)
    }()

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Asks a script of Tests/Interop; questions and answers are JSON.
    ///
    /// - Throws: ``Failure`` with what it complained of.
    package static func ask<Answers: Decodable>(
        _ script: String, _ questions: some Encodable, for answers: Answers.Type = Answers.self
    ) async throws -> Answers {
        try JSONDecoder().decode(answers, from: await ask(script, JSONEncoder().encode(questions)))
    }

    package static func ask(_ script: String, _ questions: Data) async throws -> Data {
        guard isReady else { throw Failure(description: absence) }
        let script = Fixtures.package.appending(path: "Tests/Interop/\(script)").path
        return try await Tool.inTemporaryFolder { folder in
            let (input, output) = (folder.appending(path: "questions.json"), folder.appending(path: "answers.json"))
            try questions.write(to: input)
            // -B: nothing is to be written beside the scripts.
            let outcome = try await Tool.run(python.path, ["-B", script, input.path, output.path])
            guard outcome.status == 0 else { throw Failure(description: outcome.errors) }
            return try Data(contentsOf: output)
        }
    }
}
