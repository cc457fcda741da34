package import Foundation

/// What OpenSSL says of many chains, asked in a few processes.
package enum OpenSSLOpinion {
    /// Whether it is there, in the version that the differences are written for.
    package static func isThere() async -> Bool { await Tool.isThere("openssl", version: "OpenSSL 3") }

    /// The positions of the chains that it accepts in its strict mode, each of leaf, intermediate and root.
    package static func accepted(_ chains: [[[UInt8]]], at instant: Date) async throws -> Set<Int> {
        try await Tool.inTemporaryFolder { folder in
            func file(_ name: String) -> URL { folder.appending(path: name) }
            // Chains that differ in the leaf alone are put in one question.
            var questions: [[[UInt8]]: [Int]] = [:]
            for (index, chain) in chains.enumerated() {
                questions[Array(chain.dropFirst()), default: []].append(index)
                if let leaf = chain.first { try pem(leaf).write(to: file("\(index).pem")) }
            }
            var scripts = [String](repeating: "", count: 4)
            for (number, question) in questions.enumerated() {
                for (issuer, der) in zip(["intermediate", "root"], question.key) {
                    try pem(der).write(to: file("\(issuer)\(number).pem"))
                }
                scripts[number % scripts.count] +=
                    "openssl verify -x509_strict -attime \(Int(instant.timeIntervalSince1970))"
                    + " -CAfile root\(number).pem -untrusted intermediate\(number).pem"
                    + question.value.map { " \($0).pem" }.joined() + " 2>/dev/null\n"
            }
            // Each script waits for one process at a time: a shell that Foundation starts does not hear of children in the
            // background.
            let lines = try await withThrowingTaskGroup(of: [Substring].self) { group in
                for (number, script) in scripts.enumerated() {
                    let path = file("script\(number)")
                    try Data("cd '\(folder.path)'\n\(script)".utf8).write(to: path)
                    group.addTask { try await Tool.run("sh", [path.path]).output.split(separator: "\n") }
                }
                return try await group.reduce(into: [Substring]()) { $0 += $1 }
            }
            return Set(lines.filter { $0.hasSuffix(".pem: OK") }.compactMap { Int($0.prefix { $0 != "." }) })
        }
    }

    private static func pem(_ der: [UInt8]) -> Data {
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Data("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8)
    }
}
