import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// The server's tests check that these notifications are stored.
@Suite struct `Genuine notifications that this version cannot read` {
    /// Signs a notification without the member `version`.
    private static func text(_ part: String) throws -> String {
        let members = #""notificationType":"NEW","notificationUUID":"1","signedDate":\#(TestStore.signedDate)"#
        return try TestStore.authority().sign(json: Data("{\(members),\(part)}".utf8))
    }

    @Test func `A notification whose revocation status is unknown can be sent again`() async throws {
        let responders = TestResponders(try TestStore.authority())
        responders.set { _ in throw URLError(.timedOut) }
        let text = try Self.text(#""data":{"bundleId":"com.example.app","environment":"Sandbox"}"#)
        #expect(try await TestStore.verifier().genuineNotification(text).envelope.uuid == "1")
        let verifier = try TestStore.verifier { $0.revocation = RevocationOptions(.hard, responders) }
        let error = await #expect(throws: VerificationError.self) { try await verifier.genuineNotification(text) }
        #expect(error?.code == .revocationUnknown)
    }

    @Test(arguments: [
        #""data":{"bundleId":7,"environment":"Sandbox"}"#, #""data":{"bundleId":"com.example.app"}"#,
        #""data":{"bundleId":"com.example.other","environment":"Sandbox"}"#,
        #""data":{"bundleId":"com.example.app","environment":"Production"}"#,
        #""data":{"bundleId":"com.example.app","appAppleId":1,"environment":"Production"}"#,
        #""data":{"bundleId":"com.example.app","environment":"Xcode"}"#,
        // Parts that this version knows come first.
        #""appInfo":{"bundleId":"com.example.app","environment":"Sandbox"},"#
            + #""data":{"bundleId":"com.example.other","environment":"Sandbox"}"#,
    ])
    func `A notification that is not for a configured app and environment is refused`(_ part: String) async throws {
        let (verifier, text) = (try TestStore.verifier(), try Self.text(part))
        let error = await #expect(throws: VerificationError.self) { try await verifier.genuineNotification(text) }
        #expect(error?.code == .badJSON)
    }
}
