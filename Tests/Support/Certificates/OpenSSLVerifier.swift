package import Foundation

/// Verifies many chains with the `openssl` command in a few processes.
package enum OpenSSLVerifier {
    /// Whether OpenSSL is installed in the version for which the differences are documented.
    package static func isAvailable() async -> Bool { await Tool.isAvailable("openssl", version: "OpenSSL 3") }

    /// Returns the indexes of the chains that OpenSSL accepts in strict mode. Each chain is leaf, intermediate and
    /// root.
    package static func accepted(_ chains: [[[UInt8]]], at instant: Date) async throws -> Set<Int> {
        try await Tool.inTemporaryFolder { folder in
            func file(_ name: String) -> URL { folder.appending(path: name) }
            // Chains with the same issuers are verified by one command.
            var leavesByIssuers: [[[UInt8]]: [Int]] = [:]
            for (index, chain) in chains.enumerated() {
                leavesByIssuers[Array(chain.dropFirst()), default: []].append(index)
                if let leaf = chain.first { try pem(leaf).write(to: file("\(index).pem")) }
            }
            var scripts = [String](repeating: "", count: 4)
            for (number, group) in leavesByIssuers.enumerated() {
                for (issuer, der) in zip(["intermediate", "root"], group.key) {
                    try pem(der).write(to: file("\(issuer)\(number).pem"))
                }
                scripts[number % scripts.count] +=
                    "openssl verify -x509_strict -attime \(Int(instant.timeIntervalSince1970))"
                    + " -CAfile root\(number).pem -untrusted intermediate\(number).pem"
                    + group.value.map { " \($0).pem" }.joined() + " 2>/dev/null\n"
            }
            // Each script runs one process at a time: a shell started by Foundation does not learn that its background
            // children have ended.
            let lines = try await withThrowingTaskGroup(of: [Substring].self) { tasks in
                for (number, script) in scripts.enumerated() {
                    let path = file("script\(number)")
                    try Data("cd '\(folder.path)'\n\(script)".utf8).write(to: path)
                    tasks.addTask { try await Tool.run("sh", [path.path]).output.split(separator: "\n") }
                }
                return try await tasks.reduce(into: [Substring]()) { $0 += $1 }
            }
            return Set(lines.filter { $0.hasSuffix(".pem: OK") }.compactMap { Int($0.prefix { $0 != "." }) })
        }
    }

    private static func pem(_ der: [UInt8]) -> Data {
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Data("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8)
    }
}
