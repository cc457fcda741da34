import AppStoreServer
import Foundation
import StoreSimulator
import Synchronization
import TestSupport
import Testing
import X509

@Suite struct `The simulator's list of revoked certificates` {
    private static let hasOpenSSL = ConditionTrait.enabled("needs openssl 3 on the path") {
        await Tool.isAvailable("openssl", version: "OpenSSL 3")
    }

    @Test(hasOpenSSL)
    func `OpenSSL verifies the empty revocation list and accepts the intermediate`() async throws {
        try await inspect(.good) { text, verdict in
            for line in [
                "Version 2 (0x1)", "ecdsa-with-SHA384", "X509v3 Authority Key Identifier", "X509v3 CRL Number",
                "No Revoked Certificates", "verify OK",
            ] {
                #expect(text.contains(line), "\(text)")
            }
            #expect(verdict.status == 0, "\(verdict.text)")
        }
    }

    @Test(hasOpenSSL)
    func `The revocation list contains a revoked intermediate, and OpenSSL rejects the certificate`() async throws {
        let (past, future) = (TestStore.now - 60, Date(timeIntervalSince1970: 2_600_000_000))
        // UTCTime and GeneralizedTime. Several runs: the first bit of every other random serial number is set.
        for date in [past, future, past, future, past, future] {
            try await inspect(.revoked(at: date)) { text, verdict in
                #expect(text.contains("Serial Number:") && text.contains("verify OK"), "\(text)")
                #expect(
                    text.components(separatedBy: "Serial Number:").count == 2,
                    "both leaves share one intermediate, which is listed once")
                // OpenSSL ignores the revocation date: every listed certificate is revoked.
                #expect(verdict.status != 0 && verdict.text.contains("certificate revoked"), "\(verdict.text)")
            }
        }
    }

    /// Passes OpenSSL's output about the list, and its verification of the intermediate against the list, to `body`.
    private func inspect(_ mode: OCSPService.Mode, _ body: (String, ChildProcess.Outcome) -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            let authority = try TestAuthority.new()
            try authority.rotateLeaf(now: TestStore.now)
            try authority.write(to: folder)
            let path = { (name: String) in folder.appending(path: name).path }
            try authority.revocationList(intermediate: mode, times: TestAuthority.times)
                .write(to: folder.appending(path: "root.crl"))
            let list = try await Tool.run(
                "openssl",
                [
                    "crl", "-inform", "DER", "-in", path("root.crl"), "-CAfile", path("root.pem"), "-text", "-out",
                    path("crl.pem"), "-verify",
                ])
            let shown = try await Tool.run("openssl", ["crl", "-in", path("crl.pem"), "-noout", "-text"])
            let verdict = try await Tool.run(
                "openssl",
                [
                    "verify", "-x509_strict", "-crl_check", "-attime",
                    String(Int64(TestStore.now.timeIntervalSince1970)), "-CRLfile", path("crl.pem"), "-CAfile",
                    path("root.pem"), path("intermediate.pem"),
                ])
            body(list.text + shown.text, verdict)
        }
    }

    @Test(arguments: [1e18, -1e18, .infinity])
    func `A time that a revocation list cannot represent throws an error`(_ seconds: TimeInterval) throws {
        let (authority, date) = (try TestAuthority.new(), Date(timeIntervalSince1970: seconds))
        #expect(throws: SimulatorError.self) {
            try authority.revocationList(intermediate: .good, times: date...date)
        }
        #expect(throws: SimulatorError.self) {
            try authority.revocationList(intermediate: .revoked(at: date), times: TestAuthority.times)
        }
    }

    @Test func `The issuer certificate and the revocation list are served at their URLs`() async throws {
        try await Simulator.run { simulator in
            let authority = simulator.core.authority
            let (issuer, list) = (authority.urls.intermediateCertificate, authority.urls.rootRevocationList)
            let certificate = try await get(issuer)
            #expect(certificate.status == 200 && certificate.type == "application/pkix-cert")
            #expect(certificate.body == Data(authority.current.intermediate.der))
            let empty = try await get(list)
            #expect(empty.status == 200 && empty.type == "application/pkix-crl")
            simulator.core.ocsp.withLock { $0.modes[.intermediate] = .revoked(at: TestStore.now) }
            let full = try await get(list)
            let serial = Data(authority.current.intermediate.certificate.serialNumber.bytes)
            #expect(empty.body.range(of: serial) == nil && full.body.range(of: serial) != nil)
            let unknown = try await get(list + "x")
            #expect(unknown.status == 404)
        }
    }

    private func get(_ url: String) async throws -> (status: Int, type: String?, body: Data) {
        let request = HTTPTransportRequest(method: "GET", url: url, headers: [], body: Data(), timeout: .seconds(600))
        let answer = try await AsyncHTTPClientTransport().send(request)
        let type = answer.headers.first { $0.name.lowercased() == "content-type" }?.value
        return (answer.status, type, answer.body)
    }
}
