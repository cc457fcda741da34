import Basics
import Foundation
import StoreSimulator
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import AppStoreTrust

/// Compares OCSP requests, responses and certificates with OpenSSL, which is an independent implementation.
@Suite(.enabled("needs openssl 3 on the path") { await Tool.isAvailable("openssl", version: "OpenSSL 3") })
struct `Certificates and OCSP compared with OpenSSL` {
    /// OpenSSL uses the system's clock, so the certificates of this authority are valid now.
    private static let authority = Result { try Authority(now: now, name: "OpenSSL") }
    private static let now = Date()

    private let authority: Authority

    init() throws { authority = try Self.authority.get() }

    @Test func `OpenSSL accepts the authority's chain in strict mode`() async throws {
        try await withFiles { files in
            let outcome = try await Tool.run(
                "openssl",
                [
                    "verify", "-x509_strict", "-CAfile", files.root, "-untrusted", files.intermediate, files.leaf,
                ])
            #expect(outcome.status == 0 && outcome.output.contains("OK"), "\(outcome.text)")
        }
    }

    @Test(.enabled(if: Fixtures.hasSignedData, "\(Fixtures.absence)"))
    func `OpenSSL accepts Apple's chain`() async throws {
        struct Header: Decodable { let x5c: [Data] }
        let file = try #require(Fixtures.signedData.last)
        let segment = try #require(Base64.decodeURL(file.text().prefix { $0 != "." }))
        let chain = try JSONDecoder().decode(Header.self, from: Data(segment)).x5c
        try await Tool.inTemporaryFolder { folder in
            let paths = try zip(["leaf", "intermediate", "root"], chain).map { name, der in
                let path = folder.appending(path: name).path
                let pem = try Certificate(derEncoded: Array(der)).serializeAsPEM().pemString
                try Data(pem.utf8).write(to: URL(filePath: path))
                return path
            }
            let seconds = String(Int64(file.signedDate.timeIntervalSince1970))
            let outcome = try await Tool.run(
                "openssl",
                ["verify", "-x509_strict", "-attime", seconds, "-CAfile", paths[2], "-untrusted", paths[1], paths[0]])
            #expect(outcome.status == 0, "\(outcome.text)")
        }
    }

    @Test(arguments: ["V", "R", "?"])
    func `OpenSSL answers our OCSP request, and we read the response`(_ state: String) async throws {
        try await withFiles { files in
            let question = try OCSPRequest(
                certificate: authority.leaf.certificate, issuer: authority.intermediate.certificate)
            try question.encoded().write(to: URL(filePath: files.path("request")))
            let serial = authority.leaf.certificate.serialNumber.bytes.hexadecimal.uppercased()
            let revoked = state == "R" ? "200101000000Z" : ""
            let known = "\(state)\t491231235959Z\t\(revoked)\t\(serial)\tunknown\t/CN=Leaf\n"
            try Data((state == "?" ? "" : known).utf8).write(to: URL(filePath: files.path("index")))
            let outcome = try await Tool.run(
                "openssl",
                [
                    "ocsp", "-index", files.path("index"), "-CA", files.intermediate, "-rsigner", files.intermediate,
                    "-rkey", files.path("key"), "-reqin", files.path("request"), "-respout", files.path("response"),
                    "-nmin", "60",
                ])
            try #require(outcome.status == 0, "\(outcome.text)")
            let response = try Data(contentsOf: URL(filePath: files.path("response")))
            let answer = Result {
                try VerifiedOCSPResponse(
                    der: response, to: question, issuer: authority.intermediate.certificate, now: Date())
            }
            switch state {
            case "V": #expect(try answer.get().status == .good)
            case "R": #expect(try answer.get().status == .revoked(Date(timeIntervalSince1970: 1_577_836_800)))
            default: #expect(try answer.get().status == .unknown)
            }
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `OpenSSL verifies our OCSP responder's response`(_ isRevoked: Bool, _ isNamedByKey: Bool)
        async throws
    {
        try await withFiles { files in
            let question = try OCSPRequest(
                certificate: authority.leaf.certificate, issuer: authority.intermediate.certificate)
            var responder = OCSPResponder(issuer: authority.intermediate, now: Date())
            responder.isNamedByKey = isNamedByKey
            if isRevoked { responder.status = .revoked(Date(timeIntervalSince1970: 1_577_836_800)) }
            let response = try responder.answer(question.encoded())
            try response.write(to: URL(filePath: files.path("response")))
            let outcome = try await Tool.run(
                "openssl",
                [
                    "ocsp", "-sha256", "-issuer", files.intermediate, "-cert", files.leaf, "-respin",
                    files.path("response"), "-verify_other", files.intermediate, "-CAfile", files.root,
                ])
            #expect(outcome.status == 0, "\(outcome.text)")
            #expect(outcome.text.contains("Response verify OK"), "\(outcome.text)")
            #expect(outcome.text.contains(isRevoked ? ": revoked" : ": good"), "\(outcome.text)")
        }
    }

    private struct Files {
        let folder: URL
        var root: String { path("root.pem") }
        var intermediate: String { path("intermediate.pem") }
        var leaf: String { path("leaf.pem") }

        func path(_ name: String) -> String { folder.appending(path: name).path }
    }

    private func withFiles(_ body: (Files) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            let files = Files(folder: folder)
            for (path, issued) in [
                (files.root, authority.root), (files.intermediate, authority.intermediate),
                (files.leaf, authority.leaf),
            ] {
                try Data(issued.certificate.serializeAsPEM().pemString.utf8).write(to: URL(filePath: path))
            }
            let key = try authority.intermediate.key.serializeAsPEM().pemString
            try Data(key.utf8).write(to: URL(filePath: files.path("key")))
            try await body(files)
        }
    }
}
