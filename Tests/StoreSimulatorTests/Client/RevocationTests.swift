import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `OCSP and CRL of the simulator over HTTP` {
    /// Returns a verifier with an empty cache that fails without an OCSP response.
    private func verifier(_ simulator: Simulator, timeLimit: TimeInterval = 600) throws -> SignedDataVerifier {
        try simulator.verifier {
            var options = RevocationOptions(policy: .hard)
            options.allowedHosts = ["127.0.0.1"]
            options.timeLimit = timeLimit
            $0.revocation = options
        }
    }

    /// Sets the mode of the OCSP responder through the control API.
    private func set(_ simulator: Simulator, _ body: String) async throws {
        let request = HTTPTransportRequest(
            method: "PUT", url: simulator.information.controlURL + "/ocsp",
            headers: [("Content-Type", "application/json")], body: Data(body.utf8), timeout: .seconds(600))
        let answer = try await AsyncHTTPClientTransport().send(request)
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    @Test func `Good, revoked and unusable OCSP responses have different verification results`() async throws {
        try await Simulator.run { simulator in
            let id = try await simulator.buy("com.example.coins.100")
            let text = try await simulator.client().transaction(id).signedTransactionInfo
            let cases: [(String, VerificationError.Code?)] = [
                ("good", nil), ("revoked", .revoked), ("unknown", .revocationUnknown), ("expired", .revocationUnknown),
                ("wrong", .revocationUnknown), ("unreachable", .revocationUnknown), ("good", nil),
            ]
            for (mode, code) in cases {
                try await set(simulator, "{\"status\":\"\(mode)\"}")
                let verifier = try verifier(simulator)
                #expect(try await refusal { try await verifier.transaction(text) } == code, "\(mode)")
            }
            let trace = try await verifier(simulator).transaction(text).trace
            #expect(trace.revocation.status == .good)
        }
    }

    @Test(arguments: ["leaf", "intermediate"])
    func `Revoking the leaf or the intermediate alone fails verification with revocation checks`(_ certificate: String)
        async throws
    {
        try await Simulator.run { simulator in
            let id = try await simulator.buy("com.example.coins.100")
            let text = try await simulator.client().transaction(id).signedTransactionInfo
            try await set(simulator, "{\"status\":\"revoked\",\"certificate\":\"\(certificate)\"}")
            let strict = try verifier(simulator)
            #expect(try await refusal { try await strict.transaction(text) } == .revoked)
            // A verifier without revocation checks accepts the token.
            let trusting = try simulator.verifier()
            #expect(try await refusal { try await trusting.transaction(text) } == nil)
        }
    }

    @Test func `An OCSP response after the time limit leaves the revocation status unknown`() async throws {
        try await Simulator.run { simulator in
            let id = try await simulator.buy("com.example.coins.100")
            let text = try await simulator.client().transaction(id).signedTransactionInfo
            try await set(simulator, "{\"status\":\"slow\",\"seconds\":600}")
            let verifier = try verifier(simulator, timeLimit: 0.05)
            #expect(try await refusal { try await verifier.transaction(text) } == .revocationUnknown)
        }
    }

    @Test func `After a rotation, tokens of the old leaf verify until that leaf is revoked`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            let id = try await simulator.buy("com.example.coins.100")
            let client = try simulator.client()
            let old = try await client.transaction(id).signedTransactionInfo
            // Revokes the leaf that signs now.
            try await set(simulator, "{\"status\":\"revoked\",\"certificate\":\"leaf\"}")
            try simulator.rotateSigningKey()
            let new = try await client.transaction(id).signedTransactionInfo
            #expect(try Payload(old).header["x5c"] != Payload(new).header["x5c"])
            #expect(try Payload(old).bytes == Payload(new).bytes)
            let trusting = try simulator.verifier()
            for text in [old, new] { #expect(try await refusal { try await trusting.transaction(text) } == nil) }
            let strict = try verifier(simulator)
            #expect(try await refusal { try await strict.transaction(old) } == .revoked)
            #expect(try await refusal { try await strict.transaction(new) } == nil)
            // A retry sends the bytes that the old leaf signed.
            receiver.answer(.status(500))
            try await simulator.buy("com.example.coins.100")
            try simulator.rotateSigningKey()
            try await simulator.advance(by: 3600)
            #expect(receiver.bodies.count == 3)
            #expect(receiver.bodies[1] == receiver.bodies[2])
        }
    }
}
