import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import AppStoreServer
@testable import AppStoreTrust

@Suite struct `The chain cache` {
    private let authority: Authority

    init() throws { authority = try TestStore.authority() }

    @Test func `The chain cache has one entry per header and finds it by the exact text`() throws {
        let cache = ChainCache(capacity: 4)
        let text = try EditableJWS(authority).header
        let other = try EditableJWS(authority, header: authority.header(adding: #""typ":"JWT","#)).header
        cache.insert(try chain(), for: text)
        cache.insert(try chain(), for: text)
        #expect(cache.count == 1)
        #expect(cache.has(text))
        #expect(!cache.has(other))
        #expect(!cache.has(String(text.dropLast())))
        #expect(!cache.has(text + "A"))
        #expect(!cache.has(""))
    }

    @Test(arguments: [0, 1, 3])
    func `The chain cache is bounded and evicts the oldest entry`(_ capacity: Int) throws {
        let cache = ChainCache(capacity: capacity)
        let chain = try chain()
        for index in 0..<10 {
            cache.insert(chain, for: "header \(index)")
            #expect(cache.count == min(index + 1, capacity))
        }
        for index in 0..<10 { #expect(cache.has("header \(index)") == (index >= 10 - capacity)) }
    }

    @Test func `Known certificates are reused for another header text, which is verified and cached too`() async throws
    {
        let verifier = try TestStore.verifier()
        _ = try await verifier.transaction(EditableJWS(authority).text)
        let certificates = authority.chain
        let proven = try #require(verifier.cache.chain(of: certificates))
        #expect(verifier.cache.chain(of: Array(certificates.dropLast())) == nil)
        #expect(verifier.cache.chain(of: certificates.reversed()) == nil)

        let varied = try EditableJWS(authority, header: authority.header(adding: #""typ":"JWT","#))
        let trace = try await verifier.transaction(varied.text).trace
        #expect(trace.certificates == proven.certificates)
        #expect(verifier.cache.count == 2)
        let forged = try varied.changing { $0.header = try EditableJWS(authority).header }.text
        #expect(try await refusal { try await verifier.transaction(forged) } == .badSignature)
    }

    @Test func `A changed character in a known header misses the cache`() async throws {
        let genuine = try EditableJWS(authority)
        let verifier = try TestStore.verifier()
        _ = try await verifier.transaction(genuine.text)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var header = Array(genuine.header.utf8)
            let position = Int.random(in: header.indices, using: &generator)
            header[position] = header[position] == 0x41 ? 0x42 : 0x41
            let text = genuine.changing { $0.header = String(decoding: header, as: UTF8.self) }.text
            #expect(try await refusal { try await verifier.transaction(text) } != nil, "letter \(position)")
        }
        _ = try await verifier.transaction(genuine.text)
    }

    @Test func `A cached chain does not make a forged signature valid`() async throws {
        let verifier = try TestStore.verifier()
        _ = try await verifier.transaction(authority.sign(Members(.transaction)))
        let forgeries = VerificationCases.forgeries.filter { $0.name.hasPrefix("signature: ") }
        try #require(forgeries.count > 5)
        for forgery in forgeries {
            let text = try forgery.make().text
            #expect(try await refusal { try await verifier.transaction(text) } == forgery.code, "\(forgery.name)")
        }
    }

    @Test func `A cached chain is checked for validity at each use`() async throws {
        let clock = TestClock(TestStore.now)
        let verifier = try TestStore.verifier { $0.now = { clock.now } }
        let text = try authority.sign(Members(.transaction))
        _ = try await verifier.transaction(text)
        clock.advance(by: 9 * 365 * 86_400)
        #expect(try await refusal { try await verifier.transaction(text) } == .expiredOrNotYetValid)
    }

    @Test func `A chain is cached only after a signature with it was verified`() async throws {
        let verifier = try TestStore.verifier()
        #expect(verifier.cache.count == 0)
        let forged = try EditableJWS(authority).changing {
            $0.payload = try EditableJWS(authority, payload: "{}").payload
        }
        #expect(try await refusal { try await verifier.transaction(forged.text) } == .badSignature)
        #expect(verifier.cache.count == 0)
        for await forgery in Yielding(VerificationCases.certificates) {
            let made = try forgery.make()
            #expect(try await refusal { try await verifier.transaction(made.text) } != nil)
        }
        #expect(verifier.cache.count == 0)
        _ = try await verifier.transaction(authority.sign(Members(.transaction)))
        #expect(verifier.cache.count == 1)
        let wrongApp = try authority.sign(Members(.transaction).with("bundleId", "\"x\""))
        #expect(try await refusal { try await verifier.transaction(wrongApp) } == .wrongApp)
        #expect(verifier.cache.count == 1)
    }

    @Test func `One verifier serves many concurrent tasks`() async throws {
        let verifier = try TestStore.verifier { $0.chainCacheCapacity = 2 }
        let texts = try (0..<6).map {
            try EditableJWS(authority, header: authority.header(adding: "\"x\":\($0),")).text
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<120 { group.addTask { _ = try await verifier.transaction(texts[index % 6]) } }
            try await group.waitForAll()
        }
        #expect(verifier.cache.count == 2)
    }

    private func chain() throws -> SigningChain {
        let header = try ProtectedHeader(json: Array(authority.header().utf8))
        let anchors = try TrustAnchors(certificates: [Data(authority.root.der)])
        return try Array(EditableJWS(authority).header.utf8).withUnsafeBytes {
            try SigningChain(header: header, text: $0, trust: TrustedCertificates(anchors: anchors, enrolled: [:]))
        }
    }
}

extension ChainCache {
    fileprivate func has(_ header: String) -> Bool {
        Array(header.utf8).withUnsafeBytes { chain(for: $0) } != nil
    }

    fileprivate func insert(_ chain: SigningChain, for header: String) {
        Array(header.utf8).withUnsafeBytes { insert(chain, for: $0) }
    }
}
