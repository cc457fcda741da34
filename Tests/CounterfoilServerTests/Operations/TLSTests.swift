import AsyncHTTPClient
import CounterfoilServer
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import SwiftASN1
import TestSupport
import Testing
import X509

@Suite struct `HTTPS` {
    @Test func `The server accepts TLS 1.2 and later with the certificate of two files`() async throws {
        try await World.run { world in
            let (certificate, key) = try Self.write(to: world.folder)
            var configuration = try world.configuration()
            try await world.stopServer()
            configuration.listen.port = 0
            configuration.listen.tls = .init(certificateFile: certificate, keyFile: key)
            let server = try await Server.start(configuration)
            for (version, isAccepted) in [(TLSVersion.tlsv11, false), (.tlsv12, true), (.tlsv13, true)] {
                let status = try await Self.status(server.port, trusting: certificate, upTo: version)
                switch status {
                case .success(let status): #expect(status == 200 && isAccepted, "\(version)")
                case .failure(let error): #expect(error is NIOSSLError && !isAccepted, "\(version): \(error)")
                }
            }
            try await server.stop()
        }
    }

    @Test func `A reload replaces the certificate, unless the key does not match`() async throws {
        try await World.run { world in
            let (certificate, key) = try Self.write(to: world.folder)
            var configuration = try world.configuration()
            try await world.stopServer()
            configuration.listen.port = 0
            configuration.listen.tls = .init(certificateFile: certificate, keyFile: key)
            let server = try await Server.start(configuration)
            let old = world.folder.appending(path: "old.pem").path
            try FileManager.default.copyItem(atPath: certificate, toPath: old)
            func isServed(_ certificate: String) async throws -> Bool {
                switch try await Self.status(server.port, trusting: certificate, upTo: .tlsv13) {
                case .success(let status): status == 200
                case .failure: false
                }
            }
            #expect(try await isServed(old))
            _ = try Self.write(to: world.folder)
            #expect(try await isServed(old))
            let reloaded = configuration
            await server.reload { reloaded }
            #expect(try await isServed(certificate))
            #expect(try await !isServed(old))
            // A key that does not match the certificate changes nothing.
            try P256.Signing.PrivateKey().pemRepresentation.write(toFile: key, atomically: true, encoding: .utf8)
            await server.reload { reloaded }
            #expect(try await isServed(certificate))
            try await server.stop()
        }
    }

    /// The server read the deleted files of the previous configuration and kept the removed key.
    @Test func `A reload needs the certificate of the new configuration only`() async throws {
        try await World.run { world in
            let (certificate, key) = try Self.write(to: world.folder)
            let other = world.folder.appending(path: "other.pem").path
            try P256.Signing.PrivateKey().pemRepresentation.write(toFile: other, atomically: true, encoding: .utf8)
            var configuration = try world.configuration()
            try await world.stopServer()
            configuration.listen.port = 0
            configuration.keys = [World.backend]
            var mismatched = configuration
            mismatched.listen.tls = .init(certificateFile: certificate, keyFile: other)
            mismatched.keys = []
            let refused = mismatched
            let plain = try await Server.start(configuration)
            await plain.reload { refused }
            #expect(plain.core.configuration.keys.count == 1, "the certificate does not match its key")
            try await plain.stop()
            var withoutTLS = configuration
            withoutTLS.keys = []
            let accepted = withoutTLS
            configuration.listen.tls = .init(certificateFile: certificate, keyFile: key)
            let server = try await Server.start(configuration)
            for file in [certificate, key] { try FileManager.default.removeItem(atPath: file) }
            await server.reload { accepted }
            #expect(server.core.configuration.keys.isEmpty)
            #expect(server.core.configuration.listen.tls != nil, "TLS ends at the next start")
            try await server.stop()
        }
    }

    @Test func `The metrics have the expiry of the certificate in use, also after a reload`() async throws {
        try await World.run { world in
            let ends: [TimeInterval] = [4_000_000_000, 4_100_000_000]
            let (certificate, key) = try Self.write(to: world.folder, until: Date(timeIntervalSince1970: ends[0]))
            var configuration = try world.configuration()
            try await world.stopServer()
            configuration.listen.port = 0
            configuration.listen.tls = .init(certificateFile: certificate, keyFile: key)
            let server = try await Server.start(configuration)
            let first = try #require(await server.core.metrics.text())
            #expect(first.contains("\ncounterfoil_tls_expiry_timestamp_seconds 4000000000\n"))
            _ = try Self.write(to: world.folder, until: Date(timeIntervalSince1970: ends[1]))
            let reloaded = configuration
            await server.reload { reloaded }
            let second = try #require(await server.core.metrics.text())
            #expect(second.contains("\ncounterfoil_tls_expiry_timestamp_seconds 4100000000\n"))
            try await server.stop()
        }
    }

    @Test func `A server does not start with certificate files that do not match, and names the file`() async throws {
        try await World.run { world in
            let (certificate, key) = try Self.write(to: world.folder)
            var configuration = try world.configuration()
            try await world.stopServer()
            let other = world.folder.appending(path: "other.pem").path
            try P256.Signing.PrivateKey().pemRepresentation.write(toFile: other, atomically: true, encoding: .utf8)
            for (files, word) in [
                ((key, certificate), key), ((certificate, certificate), "no private key"),
                ((certificate, other), "together"),
            ] {
                configuration.listen.tls = .init(certificateFile: files.0, keyFile: files.1)
                let error = await Self.refusal(configuration)
                #expect(error?.code == .badCertificate)
                #expect(error?.message.contains(word) == true)
            }
        }
    }

    /// The check called the configuration valid, and the next start failed.
    @Test func `server check reports certificate files that do not match, with their line`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let (certificate, key) = try Self.write(to: folder)
            let other = folder.appending(path: "other.pem").path
            try P256.Signing.PrivateKey().pemRepresentation.write(toFile: other, atomically: true, encoding: .utf8)
            let file = folder.appending(path: "counterfoil.yaml")
            for (named, status) in [(key, 0), (other, 1)] {
                let tls = "listen:\n  tls:\n    certificate: \(certificate)\n    key: \(named)\n"
                try Data((TestConfiguration.smallest + tls).utf8).write(to: file)
                let outcome = try await ServerProcess.run(["server", "check", file.path])
                #expect(outcome.status == Int32(status), "\(outcome.text)")
                let isReported = outcome.output.contains(
                    "counterfoil.yaml:6: listen.tls.certificate: the certificate in ")
                #expect(isReported == (status == 1), "\(outcome.text)")
            }
        }
    }

    /// The check called an expired certificate valid.
    @Test func `server check has a note about a certificate that has expired or expires within a week`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            for (hours, word) in [(-0.5, "expired on"), (24, "expires on"), (24 * 30, nil)] as [(Double, String?)] {
                let (certificate, key) = try Self.write(to: folder, until: Date() + hours * 3600)
                let tls = "listen:\n  tls:\n    certificate: \(certificate)\n    key: \(key)\n"
                try Data((TestConfiguration.smallest + tls).utf8).write(to: file)
                let outcome = try await ServerProcess.run(["server", "check", file.path])
                #expect(outcome.status == 0, "\(outcome.text)")
                let notes = outcome.output.split(separator: "\n").filter {
                    $0.contains("listen.tls.certificate: the certificate ")
                }
                #expect(notes.count == (word == nil ? 0 : 1), "\(outcome.text)")
                if let word { #expect(notes.allSatisfy { $0.contains("the certificate \(word) ") }, "\(notes)") }
            }
        }
    }

    @Test func `A server does not start at an unavailable address, and the error names the address and the setting`()
        async throws
    {
        try await World.run { world in
            let configuration = try world.configuration()
            let taken = configuration.listen.port
            var port = configuration
            port.storage.path += ".port"
            let portInUse = await Self.refusal(port)
            #expect(portInUse?.code == .portInUse)
            #expect(portInUse?.message.contains("127.0.0.1:\(taken)") == true)
            #expect(portInUse?.message.contains("--port or in listen.port") == true)
            var host = configuration
            host.storage.path += ".host"
            // No name server is asked about a label of 64 letters, because it is too long.
            host.listen.host = String(repeating: "a", count: 64)
            let unknownHost = await Self.refusal(host)
            #expect(unknownHost?.code == .addressUnavailable)
            let words = "\(host.listen.host) is neither an address nor a known name; change listen.host"
            #expect(unknownHost?.message.hasPrefix(words) == true, "\(unknownHost?.message ?? "")")
            // The error of the console's port names the line of its setting.
            let text = TestConfiguration.smallest + "console:\n  enabled: true\n  listen:\n    port: \(taken)\n"
            let read = try TestConfiguration.read(text).configuration
            var console = configuration
            (console.console, console.origins) = (read.console, read.origins)
            console.storage.path += ".console"
            console.listen.port = 0
            let consoleInUse = await Self.refusal(console)
            #expect(consoleInUse?.code == .portInUse)
            let message = consoleInUse?.message ?? ""
            #expect(
                message == "127.0.0.1:\(taken) is taken; choose another port in console.listen.port (line 7)",
                "\(message)")
        }
    }

    /// The system reports an invalid argument, or on a machine without IPv6 an unknown address family.
    @Test func `A server does not start at a link-local address, and the error names the address and the setting`()
        async throws
    {
        try await World.run { world in
            var configuration = try world.configuration()
            configuration.storage.path += ".host"
            configuration.listen.host = "fe80::1"
            let refusal = await Self.refusal(configuration)
            #expect(refusal?.code == .addressUnavailable)
            let message = refusal?.message ?? ""
            #expect(message.contains("cannot listen on fe80::1: ") && message.contains("; change listen.host"))
        }
    }

    private static func refusal(_ configuration: ServerConfiguration) async -> ServerError? {
        await #expect(throws: ServerError.self) { _ = try await Server.start(configuration) }
    }

    private static func status(
        _ port: Int, trusting certificate: String, upTo version: TLSVersion
    ) async throws -> Result<Int, any Error> {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(certificate))
        tls.minimumTLSVersion = .tlsv1
        tls.maximumTLSVersion = version
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let status: Result<Int, any Error>
        do {
            let request = HTTPClientRequest(url: "https://localhost:\(port)/health/live")
            status = .success(Int(try await client.execute(request, timeout: .seconds(600)).status.code))
        } catch { status = .failure(error) }
        try await client.shutdown()
        return status
    }

    /// Writes a self-signed certificate for `localhost` and its key.
    private static func write(
        to folder: URL, until end: Date = Date() + 3600
    ) throws -> (certificate: String, key: String) {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("localhost") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: Date() - 3600,
            notValidAfter: end, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([.dnsName("localhost")])
            }, issuerPrivateKey: .init(key))
        let files = (folder.appending(path: "cert.pem").path, folder.appending(path: "key.pem").path)
        try certificate.serializeAsPEM().pemString.write(toFile: files.0, atomically: true, encoding: .utf8)
        try key.pemRepresentation.write(toFile: files.1, atomically: true, encoding: .utf8)
        return files
    }
}
