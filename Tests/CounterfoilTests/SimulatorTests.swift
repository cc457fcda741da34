import AppStoreServer
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Simulator commands` {
    /// A running simulator and its folder, which is passed to other commands.
    struct Session: Sendable {
        let folder: URL

        func run(_ arguments: String...) async throws -> Command.Outcome {
            try await Command.run(arguments + ["--simulator", folder.path])
        }

        func object(_ arguments: String...) async throws -> [String: Any] {
            let outcome = try await Command.run(arguments + ["--simulator", folder.path, "--json"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            return try outcome.object()
        }
    }

    func withSession(
        _ options: [String] = [], _ body: @Sendable (Session) async throws -> Void
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let information = folder.appending(path: "store/simulator.json").path
            let all = ["--port", "0", "--clock", "frozen:2026-01-01T00:00:00Z"] + options
            try await RunningCommand.withSimulator(in: folder, all) { store, url in
                #expect(url.hasSuffix("/simulator"))
                #expect(FileManager.default.fileExists(atPath: information))
                try await body(Session(folder: store))
            }
            #expect(!FileManager.default.fileExists(atPath: information))
        }
    }

    @Test func `The simulator sells, triggers notifications, advances the clock and restores a snapshot`() async throws
    {
        try await withSession { session in
            let bought = try await session.object("simulator", "buy", "anna", "premium.monthly")
            #expect(bought["customer"] as? String == "anna")
            let token = try #require(bought["appAccountToken"] as? String)
            #expect(UUID(uuidString: token) != nil)
            #expect(try await session.run("simulator", "customers", "anna", "--account-token").output == token + "\n")
            let triggered = try await session.object(
                "simulator", "trigger", "DID_RENEW.BILLING_RECOVERY", "--environment", "sandbox")
            #expect(
                Set(triggered.keys) == [
                    "customer", "transactionId", "originalTransactionId", "notificationUUID", "environment",
                ])
            #expect(triggered["environment"] as? String == "Sandbox")
            _ = try await session.object("simulator", "snapshot", "before")
            // The subscriptions of both customers renew by their products' periods.
            let advance = try await session.object("simulator", "clock", "advance", "1", "month")
            #expect(try #require(advance["notifications"] as? Int) >= 2)
            #expect(try await session.object("simulator", "clock")["now"] as? Int == 1_769_904_000_000)
            let day = try await session.object("simulator", "clock", "advance", "--to", "2026-02-03")
            #expect(day["to"] as? Int == 1_770_076_800_000)
            _ = try await session.object("simulator", "restore", "before")
            // The renewal on the 8th is charged within 24 hours before.
            #expect(
                try await session.run("simulator", "clock").output
                    .hasPrefix("2026-01-01 00:00:00 UTC, frozen; next at 2026-01-07 "))
            let cancelled = try await session.run("simulator", "do", #"{"cancel":{"customer":"anna"}}"#)
            #expect(cancelled.output.contains("DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED"))
            let customers = try await session.run("simulator", "customers")
            #expect(customers.output.hasPrefix("anna  com.example.premium.monthly active until 2026-01-08"))
            #expect(customers.output.hasSuffix("  account \(token)\n"))
            _ = try await session.object("simulator", "reset")
            let reset = try await session.run("simulator", "reset")
            #expect(reset.errors.contains("needs an empty ledger"), "\(reset.errors)")
            #expect(
                try await session.run("simulator", "customers").output == "no customers in production\n")
        }
    }

    @Test func `A purchase that waits for approval is not reported as done`() async throws {
        try await withSession { session in
            _ = try await session.run("simulator", "do", #"{"askToBuy":{"customer":"anna"}}"#)
            let purchase = #"{"purchase":{"customer":"anna","product":"com.example.unlock","device":"phone"}}"#
            let asked = try await session.run("simulator", "do", purchase)
            #expect(asked.status == 0 && asked.output.hasPrefix("pending  Production  customer anna"), "\(asked)")
            let approved = try await session.run("simulator", "do", #"{"approvePurchase":{"customer":"anna"}}"#)
            #expect(approved.output.hasPrefix("done  Production  customer anna"), "\(approved)")
        }
    }

    @Test func `Resending a notification that is not delivered ends with status 1`() async throws {
        try await withSession(["--notify", "http://127.0.0.1:1/hooks"]) { session in
            let triggered = try await session.object("simulator", "trigger", "TEST")
            let uuid = try #require(triggered["notificationUUID"] as? String)
            let text = try await session.run("simulator", "notifications", "resend", uuid)
            #expect(text.status == 1 && text.output.isEmpty, "\(text.output)")
            #expect(text.errors.contains("refused not_delivered: "), "\(text.errors)")
            let json = try await session.run("simulator", "notifications", "resend", uuid, "--json")
            let lines = json.output.split(separator: "\n").map(String.init)
            #expect(json.status == 1 && lines.count == 2, "\(json.output)")
            #expect(try RunningCommand.object(lines.first)["isDelivered"] as? Bool == false)
            #expect(try RunningCommand.object(lines.last)["code"] as? String == "not_delivered")
        }
    }

    @Test func `Resending a notification that was delivered before ends with status 1 if it fails`() async throws {
        let receiver = try LoopbackServer(answer: LoopbackServer.answer("200 OK", [], Data()))
        try await withSession(["--notify", "http://127.0.0.1:\(receiver.port)/hooks"]) { session in
            let triggered = try await session.object("simulator", "trigger", "TEST")
            let uuid = try #require(triggered["notificationUUID"] as? String)
            let again = try await session.run("simulator", "notifications", "resend", uuid)
            #expect(again.status == 0 && again.output == "delivered\n", "\(again.errors)")
            receiver.stop()
            let failed = try await session.run("simulator", "notifications", "resend", uuid)
            #expect(failed.status == 1 && failed.output.isEmpty, "\(failed.output)")
            #expect(failed.errors.contains("refused not_delivered: "), "\(failed.errors)")
            // The App Store does not retry a notification that was delivered.
            #expect(try await session.object("simulator", "clock")["next"] == nil)
        }
    }

    @Test func `settings shows the settings of an environment and changes the named ones`() async throws {
        try await withSession { session in
            let changed = try await session.run("simulator", "settings", #"{"gracePeriod":"sixteenDays"}"#)
            #expect(changed.status == 0 && changed.output == "gracePeriod  sixteenDays\n", "\(changed)")
            #expect(try await session.object("simulator", "settings")["gracePeriod"] as? String == "sixteenDays")
            let sandbox = try await session.run("simulator", "settings", "--environment", "sandbox")
            let lines = sandbox.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(lines.contains(["gracePeriod", "off"]) && lines.contains(["renewalCap", "12"]), "\(sandbox)")
            let none = try await session.run(
                "simulator", "settings", #"{"renewalCap":null}"#, "--environment", "sandbox")
            #expect(none.output == "renewalCap  null\n", "\(none)")
            let wrong = try await session.run("simulator", "settings", #"{"gracePeriod":"16d"}"#)
            #expect(wrong.status == 1 && wrong.errors.contains("none of off, threeDays, sixteenDays"), "\(wrong)")
            #expect(try await session.run("simulator", "settings", "gracePeriod").status == 2)
        }
    }

    @Test func `Commands cancel, refund, fail payments and print the receipt`() async throws {
        try await withSession { session in
            _ = try await session.object("simulator", "buy", "anna", "premium.monthly")
            func names(_ arguments: String...) async throws -> [String] {
                let outcome = try await Command.run(arguments + ["--simulator", session.folder.path, "--json"])
                #expect(outcome.status == 0, "\(outcome.errors)")
                let all = try #require(try outcome.object()["notifications"] as? [[String: Any]])
                return all.map {
                    [$0["notificationType"], $0["subtype"]].compactMap { $0 as? String }.joined(separator: ".")
                }
            }
            #expect(
                try await names("simulator", "cancel", "anna") == ["DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED"])
            #expect(
                try await names("simulator", "resume", "anna", "premium.monthly")
                    == ["DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_ENABLED"])
            #expect(try await names("simulator", "fail-billing", "anna") == [])
            #expect(try await names("simulator", "fix-billing", "anna") == [])
            #expect(
                try await names("simulator", "refund", "anna", "--request", "--reason", "legal")
                    == ["CONSUMPTION_REQUEST"])
            #expect(try await names("simulator", "refund", "anna", "--decline") == ["REFUND_DECLINED"])
            #expect(try await names("simulator", "refund", "anna", "--percentage", "50") == ["REFUND"])
            #expect(try await names("simulator", "refund", "anna", "--reverse") == ["REFUND_REVERSED"])
            let receipt = try await session.run("simulator", "receipt", "anna").output
            #expect(Data(base64Encoded: receipt.trimmingCharacters(in: .newlines)) != nil)
            try await receipts(session)
            // The simulator signs a promotional offer with --sign, and requires a signature.
            let unsigned = try await session.run("simulator", "buy", "anna", "premium.monthly", "--offer", "save20")
            #expect(
                unsigned.errors.hasPrefix("refused offer_signature_missing: ")
                    && unsigned.errors.contains("--signature, --sign-by or"), "\(unsigned.errors)")
            let signed = try await session.run(
                "simulator", "buy", "anna", "premium.monthly", "--offer", "save20", "--sign")
            #expect(signed.output.contains("OFFER_REDEEMED"))
        }
    }

    /// Checks that `counterfoil receipt` validates the simulator's receipts, for their device only and until they
    /// expire.
    private func receipts(_ session: Session) async throws {
        let file = session.folder.appending(path: "receipt.b64")
        func validate(_ options: String...) async throws -> Command.Outcome {
            try await Data(session.run("simulator", "receipt", "anna", "--device", "phone").output.utf8).write(to: file)
            let root = session.folder.appending(path: "certificates/receipt-root.cer").path
            return try await Command.run(["receipt", file.path, "--root", root, "--json"] + options)
        }
        let device = try await session.run("simulator", "receipt", "anna", "--device", "phone", "--device-id").output
            .trimmingCharacters(in: .newlines)
        let other = try await session.run("simulator", "receipt", "anna", "--device-id").output
            .trimmingCharacters(in: .newlines)
        #expect(UUID(uuidString: device) != nil && device != other)
        let alone = try await session.run("simulator", "receipt", "anna", "--device-id", "--json").object()
        #expect(alone as? [String: String] == ["identifierForVendor": other])
        #expect(try await validate("--device-id", device).object()["valid"] as? Bool == true)
        let untrusted = try await Command.run(["receipt", file.path])
        #expect(untrusted.status == 1 && untrusted.errors.contains("; --simulator trusts a simulator"))
        let trusted = try await Command.run(["receipt", file.path, "--simulator", session.folder.path, "--json"])
        #expect(try trusted.object()["valid"] as? Bool == true, "\(trusted.errors)")
        #expect(try await validate("--device-id", other).object()["code"] as? String == "wrong_device")
        // `counterfoil receipt` uses the real clock.
        #expect(
            try await session.run("simulator", "volume-purchase", "anna", "--until", "2100-01-01T00:00:00Z").status == 0
        )
        let kind = try await validate().object()["receipt"] as? [String: Any]
        #expect(kind?["receipt_type"] as? String == "ProductionVPP", "\(String(describing: kind))")
        #expect(try await session.run("simulator", "volume-purchase", "anna", "--revoke").status == 0)
        #expect(try await validate().object()["code"] as? String == "receipt_expired")
        #expect(try await session.run("simulator", "receipt", "dora", "--environment", "sandbox").status == 1)
        #expect(try await session.run("simulator", "refresh", "dora", "--environment", "sandbox").status == 0)
        #expect(try await session.run("simulator", "receipt", "dora", "--environment", "sandbox").status == 0)
    }

    @Test func `The version of notifications is set per environment`() async throws {
        try await withSession { session in
            let chosen = try await session.object("simulator", "notifications", "--version", "1")
            #expect(chosen["version"] as? Int == 1 && chosen["environment"] as? String == "Production")
            let bought = try await session.run("simulator", "buy", "anna", "premium.monthly")
            #expect(bought.output.contains("\n  V1.INITIAL_BUY  "), "\(bought.output)")
            #expect(bought.output.contains("  order M"), "\(bought.output)")
            let sandbox = try await session.run("simulator", "notifications", "--environment", "sandbox")
            #expect(sandbox.output == "sandbox: notifications of version 2 go nowhere: no URL is set\n")
            #expect(try await session.run("simulator", "notifications", "--version", "3").status == 2)
        }
    }

    @Test func `A purchase is made with another account token, or with none`() async throws {
        try await withSession { session in
            let token = "2b4e6f80-1c3d-4e5f-8a9b-0c1d2e3f4a5b"
            let bought = try await session.run(
                "simulator", "buy", "ben", "coins.100", "--account-token", token.uppercased())
            #expect(bought.output.contains("  customer ben  account \(token)  transaction "), "\(bought.output)")
            #expect(try await session.run("simulator", "customers", "ben", "--account-token").output == token + "\n")
            #expect(
                try await session.object("simulator", "customers", "ben", "--account-token") as? [String: String] == [
                    "appAccountToken": token
                ])
            let none = try await session.object("simulator", "buy", "carl", "unlock", "--no-account-token")
            #expect(none["appAccountToken"] == nil)
            let refused = try await session.run("simulator", "customers", "carl", "--account-token")
            #expect(refused.status == 1 && refused.output.isEmpty, "\(refused.output)")
            #expect(refused.errors.contains("carl has no account token"))
            #expect(try await session.run("simulator", "customers", "carl").output.hasSuffix("  no account\n"))
            let empty = try await session.run("simulator", "customers", "")
            #expect(empty.status == 2 && empty.errors.contains("one of the simulator's customers"), "\(empty.errors)")
        }
    }

    @Test func `A scenario is run, and its differences are printed`() async throws {
        try await withSession { session in
            let passed = try await session.object("simulator", "scenario", "run", "upgrade")
            #expect(passed["passed"] as? Bool == true)
            let file = session.folder.appending(path: "wrong.yaml")
            try Data("name: Wrong\nsteps:\n  - expect: {notifications: [DID_RENEW]}\n".utf8).write(to: file)
            let failed = try await session.run("simulator", "scenario", "run", file.path)
            #expect(failed.status == 1)
            #expect(failed.output.contains("notifications: expected DID_RENEW, got none"))
        }
    }

    @Test func `Faults are added, listed and removed`() async throws {
        try await withSession { session in
            let fault = try await session.object(
                "simulator", "fault", "add", "notification:*", "delay=0.5", "--count", "2")
            #expect(fault["number"] as? Int == 1)
            #expect(try await session.run("simulator", "fault", "list").output.hasPrefix("1  applied 0 times"))
            // A list has one line of JSON per item.
            #expect(try await session.object("simulator", "fault", "list")["number"] as? Int == 1)
            // The removed fault is printed in the same form.
            #expect(try await session.object("simulator", "fault", "remove", "1")["number"] as? Int == 1)
            #expect(try await session.run("simulator", "fault").output == "no faults\n")
            let misspelt = try await session.run("simulator", "fault", "add", "notification:*", "dealy=0.5")
            #expect(misspelt.status == 1 && misspelt.errors.contains(#"did you mean "delay"?"#), "\(misspelt.errors)")
            let endless = try await session.run("simulator", "fault", "add", "notification:*", "delay=inf")
            #expect(endless.errors.contains("The effect delay takes a number"), "\(endless.errors)")
        }
    }

    @Test func `Commands say how to start a simulator if none is running`() async throws {
        try await Tool.inTemporaryFolder { folder in
            for arguments in [
                ["clock"], ["trigger", "TEST"], ["listen"], ["customers"], ["scenario", "run", "upgrade"],
            ] {
                let outcome = try await Command.run(["simulator"] + arguments + ["--simulator", folder.path])
                #expect(outcome.status == 1)
                #expect(outcome.errors.contains("start one with: counterfoil simulator"), "\(outcome.errors)")
            }
        }
    }

    @Test func `Notification types and scenarios are listed`() async throws {
        let pairs = try await Command.run(["simulator", "trigger", "--list"])
        #expect(pairs.output.split(separator: "\n").count == 40)
        #expect(pairs.output.hasPrefix("SUBSCRIBED.INITIAL_BUY\n"))
        let scenarios = try await Command.run(["simulator", "scenario", "list"])
        #expect(scenarios.output.contains("upgrade"))
        #expect(
            try await Command.run(["simulator", "scenario", "show", "upgrade"]).output.hasPrefix("name: An upgrade"))
    }
}
