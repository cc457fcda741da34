import AppStoreServer
import Foundation
import TestSupport
import Testing

@Suite struct `simulator revocation` {
    /// Calls `body` with the folder of a running simulator, and with a file that contains one of its notifications.
    private func withNotification(_ body: (_ folder: String, _ file: String) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            try await RunningCommand.withSimulator(in: folder) { store, control in
                _ = try await Command.run(
                    ["simulator", "trigger", "SUBSCRIBED.INITIAL_BUY", "--customer", "anna", "--simulator", store.path])
                let list = try await get(control + "/production/notifications")
                let items = try #require(list["items"] as? [[String: Any]])
                let uuid = try #require(items.last?["notificationUUID"] as? String)
                let text = try #require(
                    try await get(control + "/production/notifications/" + uuid)["signedPayload"] as? String)
                let file = folder.appending(path: "notification.jws")
                try Data(text.utf8).write(to: file)
                try await body(store.path, file.path)
            }
        }
    }

    private func get(_ url: String) async throws -> [String: Any] {
        let answer = try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(method: "GET", url: url, timeout: .seconds(600)))
        return try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
    }

    @Test func `A simulator's notification is verified with its roots, clock and OCSP responder`() async throws {
        try await withNotification { folder, file in
            let verify = ["verify", file, "--simulator", folder]
            #expect(try await Command.run(["verify", file]).status == 1)
            let good = try await Command.run(verify)
            #expect(good.status == 0, "\(good.errors)")
            #expect(good.output.contains("revocation  good"), "\(good.output)")
            for (status, hard, soft) in [
                ("expired", 1, 0), ("unreachable", 1, 0), ("unknown", 1, 0), ("wrong", 1, 0), ("revoked", 1, 1),
                ("good", 0, 0),
            ] as [(String, Int32, Int32)] {
                let outcome = try await Command.run(["simulator", "revocation", "leaf", status, "--simulator", folder])
                #expect(outcome.output == "leaf: \(status)\n" && outcome.status == 0, "\(outcome.errors)")
                #expect(try await Command.run(verify + ["--revocation", "hard"]).status == hard, "\(status)")
                #expect(try await Command.run(verify).status == soft, "\(status)")
                #expect(try await Command.run(verify + ["--revocation", "off"]).status == 0, "\(status)")
            }
        }
    }
}
