import Basics
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import AppStoreTrust

@Suite struct `Random base64 and certificates` {
    @Test func `Base64url survives a round trip and agrees with Foundation`() async throws {
        var generator = SeededGenerator(seed: 1)
        for await round in Yielding(0..<5000) {
            let bytes = generator.bytes(round % 200)
            let text = Base64.encodeURL(bytes)
            let standard = Data(bytes).base64EncodedString()
            #expect(text == standard.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
            #expect(Base64.decodeURL(text) == bytes)
            #expect(Base64.decode(standard) == bytes)
        }
    }

    @Test func `A base64url text that decodes is the only encoding of its bytes`() async throws {
        var generator = SeededGenerator(seed: 2)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var accepted = 0
        for await _ in Yielding(0..<20_000) {
            let count = Int.random(in: 0...9, using: &generator)
            let text = String(
                decoding: (0..<count).map { _ in letters[Int.random(in: 0..<64, using: &generator)] }, as: UTF8.self)
            guard let bytes = Base64.decodeURL(text) else { continue }
            accepted += 1
            #expect(Base64.encodeURL(bytes) == text)
        }
        #expect(accepted > 5000)
    }

    @Test func `Base64 decoding accepts only what Foundation accepts, and only in one encoding`() async throws {
        var generator = SeededGenerator(seed: 3)
        var accepted = 0
        for await _ in Yielding(0..<20_000) {
            let genuine = Array(
                Data(generator.bytes(Int.random(in: 1...12, using: &generator))).base64EncodedString().utf8)
            let text = String(decoding: generator.mutated(genuine), as: UTF8.self)
            let ours = Base64.decode(text)
            if let ours {
                accepted += 1
                #expect(Data(base64Encoded: text).map(Array.init) == ours)
                #expect(Data(ours).base64EncodedString() == text)
            }
        }
        #expect(accepted > 100)
    }

    @Test func `Every byte outside the base64url alphabet is refused at every position`() {
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for byte in UInt8.min...UInt8.max where !letters.contains(byte) {
            for position in 0..<8 {
                var text: [UInt8] = Array("AAAAAAAA".utf8)
                text[position] = byte
                #expect(text.withUnsafeBytes { Base64.decodeURL($0) } == nil)
            }
        }
    }

    @Test func `A chain with a mutated certificate is refused`() async throws {
        let authority = try TestStore.authority()
        let anchors = try TrustAnchors(certificates: [Data(authority.root.der)])
        var generator = SeededGenerator(seed: 4)
        for await round in Yielding(0..<4000) {
            var chain = authority.chain
            chain[round % 2] = generator.mutated(chain[round % 2])
            guard chain != authority.chain else { continue }
            let result = Result { try CertificateChain(ders: chain, anchors: anchors, markers: .appStore) }
            #expect(throws: VerificationError.self) { try result.get() }
        }
    }

    @Test func `A mutated OCSP response is refused or has the signed status`() async throws {
        let authority = try TestStore.authority()
        let issuer = authority.intermediate
        let question = try OCSPRequest(certificate: authority.leaf.certificate, issuer: issuer.certificate)
        var responder = OCSPResponder(issuer: issuer, now: TestStore.now)
        responder.status = .revoked(TestStore.now)
        let genuine = try Array(responder.answer(question.encoded()))
        var generator = SeededGenerator(seed: 5)
        for await _ in Yielding(0..<5000) {
            let changed = generator.mutated(genuine)
            let answer = try? VerifiedOCSPResponse(
                der: Data(changed), to: question, issuer: issuer.certificate, now: TestStore.now)
            // A signature can be encoded in more than one way, but the status cannot change.
            if let answer { #expect(answer.status == .revoked(TestStore.now)) }
        }
        for await count in Yielding(0..<genuine.count) {
            #expect(throws: (any Error).self) {
                try VerifiedOCSPResponse(
                    der: Data(genuine.prefix(count)), to: question, issuer: issuer.certificate, now: TestStore.now)
            }
        }
    }

    @Test func `Random bytes are refused as OCSP responses and trust anchors`() async throws {
        let authority = try TestStore.authority()
        let question = try OCSPRequest(
            certificate: authority.leaf.certificate, issuer: authority.intermediate.certificate)
        var generator = SeededGenerator(seed: 6)
        for await round in Yielding(0..<5000) {
            var bytes = generator.bytes(round % 64)
            if round % 2 == 0 { bytes.insert(0x30, at: 0) }
            #expect(throws: (any Error).self) {
                try VerifiedOCSPResponse(
                    der: Data(bytes), to: question, issuer: authority.intermediate.certificate, now: TestStore.now)
            }
            #expect(throws: VerificationError.self) { try TrustAnchors(certificates: [Data(bytes)]) }
        }
    }
}
