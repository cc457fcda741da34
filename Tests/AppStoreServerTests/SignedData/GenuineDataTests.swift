import AppStoreServer
import Basics
import Foundation
import TestSupport
import Testing

@testable import AppStoreTrust

@Suite(.enabled(if: Fixtures.hasSignedData, "\(Fixtures.absence)"))
struct `Genuine data` {
    /// Apple's anchors, validation at the signing date, and the sandbox.
    private static let historical: SignedDataVerifier.Configuration = {
        var configuration = SignedDataVerifier.Configuration(apps: .any([.sandbox]))
        configuration.validationTime = .signingDate
        return configuration
    }()

    private let verifier: SignedDataVerifier

    init() throws { verifier = try SignedDataVerifier(Self.historical) }

    @Test func `The table lists all 22 files`() {
        #expect(Fixtures.signedData.count == 22)
    }

    @Test(arguments: Fixtures.signedData)
    func `Genuine data verifies as of its signing date with the table's contents`(_ file: GenuineJWS) async throws {
        let text = try file.text()
        let verified = try await verifier.anyPayload(text)
        #expect(verified.text == text)
        let kinds = ["transaction": "transaction", "renewal": "renewalInfo", "notification": "notification"]
        #expect(verified.payload.kind == kinds[file.kind])
        switch verified.payload {
        case .transaction(let payload):
            #expect(payload.productId == file.type)
            #expect(payload.bundleId == file.bundleId)
            #expect(payload.environment.rawValue == file.environment)
            #expect(try await verifier.transaction(text).payload == payload)
        case .renewalInfo(let payload):
            #expect(payload.productId == file.type)
            #expect(payload.environment.rawValue == file.environment)
            #expect(try await verifier.renewalInfo(text).payload == payload)
        case .notification(let payload):
            let type = [payload.notificationType.rawValue, payload.subtype?.rawValue].compactMap(\.self)
            #expect(type.joined(separator: ".") == file.type)
            #expect(payload.data?.bundleId == file.bundleId)
            #expect(payload.data?.environment.rawValue == file.environment)
            #expect(try await verifier.notification(text).payload == payload)
        default:
            Issue.record("neither transaction nor renewal nor notification")
        }
        #expect(verified.trace.validatedAt == file.signedDate)
    }

    @Test(arguments: Fixtures.signedData)
    func `The models contain everything that was signed`(_ file: GenuineJWS) async throws {
        let text = try file.text()
        let encoded =
            switch try await verifier.anyPayload(text).payload {
            case .transaction(let payload): try JSONEncoder().encode(payload)
            case .renewalInfo(let payload): try JSONEncoder().encode(payload)
            case .notification(let payload): try JSONEncoder().encode(payload)
            case .appTransaction(let payload): try JSONEncoder().encode(payload)
            case .realtimeRequest(let payload): try JSONEncoder().encode(payload)
            }
        let segment = try #require(Base64.decodeURL(text.split(separator: ".")[1]))
        let signed = try #require(JSONSerialization.jsonObject(with: Data(segment)) as? NSDictionary)
        #expect(try JSONSerialization.jsonObject(with: encoded) as? NSDictionary == signed)
    }

    @Test(arguments: Fixtures.signedData.filter { $0.kind == "notification" })
    func `The signed data inside a genuine notification verifies`(_ file: GenuineJWS) async throws {
        let data = try #require(try await verifier.notification(file.text()).payload.data)
        if let text = data.signedTransactionInfo {
            #expect(try await verifier.transaction(text).payload.bundleId == data.bundleId)
        }
        if let text = data.signedRenewalInfo {
            #expect(try await verifier.renewalInfo(text).payload.environment == data.environment)
        }
        #expect((data.signedTransactionInfo == nil) == (file.type == "TEST"))
    }

    @Test(arguments: Fixtures.signedData)
    func `The trace names Apple's certificates`(_ file: GenuineJWS) async throws {
        let trace = try await verifier.anyPayload(file.text()).trace
        #expect(trace.anchor == "Apple Root CA - G3")
        #expect(trace.revocation == .notChecked)
        try #require(trace.certificates.count == 3)
        #expect(trace.certificates[0].subject.contains("Receipt Signing"))
        #expect(trace.certificates[1].subject.contains("Apple Worldwide Developer Relations"))
        #expect(trace.certificates[2].serialNumber == "2DC5FC88D2C54B95")
        #expect(trace.certificates[2].fingerprint.hasPrefix("63343abfb89a6a03"))
        #expect(trace.certificates[0].issuer == trace.certificates[1].subject)
        #expect(trace.certificates.allSatisfy { $0.notBefore < $0.notAfter })
    }

    @Test(arguments: Fixtures.signedData)
    func `Genuine data is refused after its chain has expired`(_ file: GenuineJWS) async throws {
        let text = try file.text()
        var configuration = Self.historical
        configuration.validationTime = .now
        configuration.now = { Date(timeIntervalSince1970: 1_830_000_000) }  // 2027-12-28
        let late = try SignedDataVerifier(configuration)
        await #expect(throws: VerificationError(.expiredOrNotYetValid, "")) { try await late.anyPayload(text) }
        configuration.now = { file.signedDate }
        let intime = try SignedDataVerifier(configuration)
        _ = try await intime.anyPayload(text)
    }

    @Test(arguments: Fixtures.signedData)
    func `Genuine data is refused with another anchor and in another environment`(_ file: GenuineJWS) async throws {
        let text = try file.text()
        let other = try TestStore.verifier()
        await #expect(throws: VerificationError(.untrustedRoot, "")) { try await other.anyPayload(text) }
        var configuration = Self.historical
        configuration.apps = .any([.production])
        let production = try SignedDataVerifier(configuration)
        await #expect(throws: VerificationError(.wrongEnvironment, "")) { try await production.anyPayload(text) }
    }

    @Test(arguments: Fixtures.signedData)
    func `A single changed character in genuine data is refused`(_ file: GenuineJWS) async throws {
        let text = Array(try file.text().utf8)
        let dots = text.indices.filter { text[$0] == UInt8(ascii: ".") }
        try #require(dots.count == 2)
        var generator = SeededGenerator(seed: 22)
        let segments: [(Range<Int>, Set<VerificationError.Code>)] = [
            (0..<dots[0], Self.headerCodes),
            (dots[0] + 1..<dots[1], [.badSignature, .badBase64URL]),
            (dots[1] + 1..<text.count, [.badSignature, .badBase64URL]),
        ]
        for (segment, codes) in segments {
            for _ in 0..<8 {
                var changed = text
                let position = Int.random(in: segment, using: &generator)
                let letter = try #require("ABCDwxyz0189-_".utf8.randomElement(using: &generator))
                guard letter != changed[position] else { continue }
                changed[position] = letter
                let code = try await refusal {
                    try await verifier.anyPayload(String(decoding: changed, as: UTF8.self))
                }
                #expect(code.map(codes.contains) == true, "letter \(position): \(code?.description ?? "accepted")")
            }
        }
    }

    /// The possible codes for a changed character in a header: JSON, base64, DER, names, markers, signatures, the
    /// anchor.
    private static let headerCodes: Set<VerificationError.Code> = [
        .badBase64URL, .badJSON, .unsupportedAlgorithm, .chainLength, .certificateMalformed, .untrustedRoot,
        .badChainRules, .badChainSignature, .missingLeafMarker, .missingIntermediateMarker,
        // In a member that is not read (typ, kid) or in JSON white space, the change breaks only the signature.
        .badSignature,
    ]
}
