import Foundation
import TestSupport
import Testing

@Suite struct `The output of server run` {
    /// A server whose log is a file on a full disk did not start, although a running one keeps running.
    @Test(
        .timeLimit(.minutes(10)),
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "this system has no /dev/full"),
        arguments: [">/dev/full 2>/dev/full", ">&- 2>&-"])
    func `A server starts when its output cannot be written`(_ redirection: String) async throws {
        try await Tool.inTemporaryFolder { folder in
            let key = "0123456789abcdefghijklmnop"
            let text = """
                apps: [{bundle_id: com.example.app, environments: [Sandbox]}]
                keys: [{name: test, secret: \(key), scopes: [operations:read]}]
                """
            try Data(text.utf8).write(to: folder.appending(path: "counterfoil.yaml"))
            let script = """
                "$0" server run --config "$1/counterfoil.yaml" --port "$2" \(redirection) &
                server=$!
                until "$0" server get /v1/completeness --url "http://127.0.0.1:$2" >/dev/null 2>&1; do
                    kill -0 $server 2>/dev/null || break
                done
                kill -TERM $server
                wait $server
                """
            let port = try ClosedPort.belowEphemeralRange()
            port.release()
            let outcome = try await Command.run(
                URL(filePath: "/bin/sh"), ["-c", script, Tool.executable().path, folder.path, "\(port.number)"],
                environment: ["PATH": "/usr/bin:/bin", "COUNTERFOIL_KEY": key])
            #expect(outcome.status == 0, "\(outcome.text)")
        }
    }
}
