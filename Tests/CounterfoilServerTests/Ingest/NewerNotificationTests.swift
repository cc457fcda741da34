import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

/// Notifications with members of another type than today, or with a part that this version does not know.
@Suite struct `Notifications that this version cannot read` {
    /// The members of each notification beside its type, identifier and signing date.
    private static func unreadable(bundleID: String, appAppleID: Int64) -> [String] {
        let environment = #""environment":"Production""#
        let app = #""bundleId":"\#(bundleID)","appAppleId":\#(appAppleID)"#
        return [
            #""version":"2.0","data":{\#(app),\#(environment),"status":"active"}"#,
            #""version":"2.0","data":{\#(app),\#(environment),"status":3000000000}"#,
            #""version":"2.0","data":{\#(app),\#(environment),"bundleVersion":7}"#,
            #""version":"2.0","data":{\#(app),\#(environment),"signedTransactionInfo":{"jws":"x"}}"#,
            #""version":"2.0","data":{"bundleId":"\#(bundleID)","appAppleId":"\#(appAppleID)",\#(environment)}"#,
            #""version":3,"data":{\#(app),\#(environment)}"#,
            #""data":{\#(app),\#(environment)}"#,
            #""version":"2.0","subtype":{"name":"NEW"},"data":{\#(app),\#(environment)}"#,
            #""version":"2.0","summary":{\#(app),\#(environment),"succeededCount":"many"}"#,
            #""version":"2.0","externalPurchaseToken":{\#(app),"externalPurchaseId":"9b0e"}"#,
            #""version":"2.0","appData":{\#(app),\#(environment)}"#,
            #""version":"2.0","commerceData":{\#(app),\#(environment),"signedCommerceInfo":"x"}"#,
        ]
    }

    private static func json(_ uuid: String, _ members: String) -> [UInt8] {
        let signed = World.start.milliseconds
        return Array(
            #"{"notificationType":"NEW","notificationUUID":"\#(uuid)","signedDate":\#(signed),\#(members)}"#.utf8)
    }

    private static func post(_ text: String, to world: World) async throws -> TestAPIClient.Response {
        try await world.api.send("POST", "/apple/notifications", body: Data(#"{"signedPayload":"\#(text)"}"#.utf8))
    }

    /// Posts each notification and returns the texts by UUID.
    private static func postUnreadable(to world: World) async throws -> [String: String] {
        let information = world.simulator.information
        let all = unreadable(bundleID: information.bundleID, appAppleID: information.appAppleID)
        var texts: [String: String] = [:]
        for (index, members) in all.enumerated() {
            let text = try world.simulator.core.authority.signer.sign(json: json("newer-\(index)", members))
            #expect(try await post(text, to: world).status == 200, "\(members)")
            texts["newer-\(index)"] = text
        }
        try await world.waitUntilIdle()
        return texts
    }

    @Test func `A genuine notification that cannot be read is stored and shown with the reason`() async throws {
        try await World.withAPI { world in
            let texts = try await Self.postUnreadable(to: world)
            let failed = try await world.api.get("/v1/notifications?state=failed&limit=100").items
            #expect(Set(failed.compactMap { $0["uuid"] as? String }) == Set(texts.keys))
            for (uuid, text) in texts {
                let shown = try await world.api.get("/v1/notifications/\(uuid)?include=signed_data")
                #expect(shown["type"] as? String == "NEW")
                #expect(shown["signed_data"] as? String == text)
                let decoded = try #require(shown["decoded"] as? [String: [String: Any]])
                #expect(decoded["notification"]?["notificationUUID"] as? String == uuid)
                let problems = try #require(shown["problems"] as? [[String: Any]])
                #expect(problems.map { $0["part"] as? String } == ["notification"])
                #expect(problems.map { $0["code"] as? String } == [shown["failure"] as? String])
            }
            // They are not acknowledged for nothing: the server says that it does not know everything.
            let completeness = try await world.api.get("/v1/completeness").text
            #expect(completeness.contains(#""failed_notifications":\#(texts.count)"#))
            // A repetition is not stored again.
            let again = try #require(texts.values.first)
            #expect(try await Self.post(again, to: world).status == 200)
            try await world.waitUntilIdle()
            #expect(try await world.api.get("/v1/notifications?limit=100").items.count == texts.count)
        }
    }

    @Test(arguments: [
        (#""environment":"Sandbox","externalPurchaseId":"9b0e""#, "Sandbox"),
        (#""environment":"Production","externalPurchaseId":"SANDBOX_9b0e""#, "Production"),
        (#""externalPurchaseId":"SANDBOX_9b0e""#, "Sandbox"), (#""externalPurchaseId":"9b0e""#, "Production"),
    ])
    func `A part names its environment itself, or else by its token`(
        _ members: String, _ environment: String
    ) async throws {
        try await World.withAPI { world in
            let (information, signer) = (world.simulator.information, world.simulator.core.authority.signer)
            let app = #""bundleId":"\#(information.bundleID)","appAppleId":\#(information.appAppleID)"#
            let text = try signer.sign(json: Self.json("newer", #""purchaseData":{\#(app),\#(members)}"#))
            #expect(try await Self.post(text, to: world).status == 200)
            try await world.waitUntilIdle()
            let shown = try await world.api.get("/v1/notifications/newer")
            #expect(shown["environment"] as? String == environment && shown["state"] as? String == "failed")
        }
    }

    @Test func `A notification that cannot be read is refused if it is forged or for another app`() async throws {
        try await World.withAPI { world in
            let (information, signer) = (world.simulator.information, world.simulator.core.authority.signer)
            let foreign =
                Self.unreadable(bundleID: "com.example.foreign", appAppleID: information.appAppleID)
                + Self.unreadable(bundleID: information.bundleID, appAppleID: information.appAppleID + 1)
            for members in foreign {
                let text = try signer.sign(json: Self.json("foreign", members))
                #expect(try await Self.post(text, to: world).status == 400, "\(members)")
            }
            for members in Self.unreadable(bundleID: information.bundleID, appAppleID: information.appAppleID) {
                let text = try signer.sign(json: Self.json("forged", members), breaking: true)
                let answer = try await Self.post(text, to: world)
                #expect(answer.status == 400 && answer["code"] as? String == "bad_signature", "\(members)")
            }
            #expect(try await world.api.get("/v1/notifications").isEmptyList)
        }
    }

    @Test func `The delivery attempts of a notification that cannot be read are found if it was signed again`()
        async throws
    {
        try await AppStoreProxy.run { proxy in
            try await World.withAPI(server: { proxy.redirectRequests(in: &$0) }) { world in
                let (information, signer) = (world.simulator.information, world.simulator.core.authority.signer)
                let members = try #require(
                    Self.unreadable(bundleID: information.bundleID, appAppleID: information.appAppleID).first)
                let text = try signer.sign(json: Self.json("newer", members))
                #expect(try await Self.post(text, to: world).status == 200)
                let again = try signer.sign(json: Self.json("newer", members))
                try #require(again != text)
                let attempt = #"{"attemptDate":\#(World.start.milliseconds),"sendAttemptResult":"SUCCESS"}"#
                let item = #"{"signedPayload":"\#(again)","sendAttempts":[\#(attempt)]}"#
                let history = #"{"hasMore":false,"notificationHistory":[\#(item)]}"#
                proxy.setAnswer { path in path.contains("/notifications/history") ? (200, history) : nil }
                let answer = try await world.api.send("POST", "/v1/notifications/newer/attempts")
                #expect(answer.status == 200 && answer.items.map { $0["result"] as? String } == ["SUCCESS"])
            }
        }
    }

    @Test func `An export contains notifications that cannot be read, and an import stores them as failed`()
        async throws
    {
        try await World.withAPI { world in
            let texts = try await Self.postUnreadable(to: world)
            let file = world.folder.appending(path: "export.jsonl")
            try await world.export(to: file)
            let filter = InboxFilter(scopes: try world.server.core.scopes.all.map(\.id))
            try await world.stopServer()
            try FileManager.default.removeItem(atPath: world.configuration().storage.path)
            try await world.importExport(file) { copy in
                let stored = try await copy.notifications(filter, before: .max, limit: 100).items
                #expect(stored.allSatisfy { $0.state == .failed })
                #expect(Dictionary(stored.map { ($0.uuid, $0.text) }) { first, _ in first } == texts)
            }
        }
    }
}
