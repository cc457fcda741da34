import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import AppStoreServer
@testable import AppStoreTrust

@Suite struct `Random and changed compact JWS` {
    @Test func `Random bytes never crash the compact form parser, and its segments cover the text`() async {
        var generator = SeededGenerator(seed: 10)
        var split = 0
        for await round in Yielding(0..<20_000) {
            let bytes = (0..<round % 40).map { _ in
                Bool.random(using: &generator) ? UInt8.random(in: 0...255, using: &generator) : UInt8(ascii: ".")
            }
            bytes.withUnsafeBytes { text in
                guard let form = try? CompactForm(text) else { return }
                split += 1
                #expect(form.header.upperBound + 1 == form.payload.lowerBound)
                #expect(form.payload.upperBound + 1 == form.signature.lowerBound)
                #expect(form.header.lowerBound == 0 && form.signature.upperBound == text.count)
                #expect(bytes.count { $0 == UInt8(ascii: ".") } == 2)
            }
        }
        #expect(split > 100)
    }

    @Test func `A mutated header that is accepted is valid JSON to Foundation too`() async throws {
        let genuine = Array(#"{"alg":"ES256","kid":"a\"b","typ":"JWT","x5c":["AAAA","BBBB","CCCC"]}"#.utf8)
        var generator = SeededGenerator(seed: 11)
        var passed = 0
        for await _ in Yielding(0..<20_000) {
            let json = generator.mutated(genuine)
            guard let header = try? ProtectedHeader(json: json) else { continue }
            passed += 1
            #expect(header.certificates.count <= 3)
            let object = try #require(JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
            #expect(object["alg"] as? String == "ES256")
        }
        #expect(passed > 100)
    }

    @Test(arguments: SignedKind.allCases)
    func `Mutated signed data is refused`(_ kind: SignedKind) async throws {
        let genuine = try Array(TestStore.authority().sign(Members(kind)).utf8)
        let verifier = try TestStore.verifier()
        _ = try await verifier.trace(of: String(decoding: genuine, as: UTF8.self), as: kind)
        var generator = SeededGenerator(seed: 12)
        for await _ in Yielding(0..<1500) {
            let changed = generator.mutated(genuine)
            guard changed != genuine else { continue }
            let text = String(decoding: changed, as: UTF8.self)
            #expect(try await refusal { try await verifier.trace(of: text, as: kind) } != nil)
        }
    }

    @Test(arguments: SignedKind.allCases)
    func `Mutated payloads with a valid signature are refused or decoded, and never crash`(_ kind: SignedKind)
        async throws
    {
        let authority = try TestStore.authority()
        let genuine = Array(Members(kind).json.utf8)
        let verifier = try TestStore.verifier()
        var generator = SeededGenerator(seed: 13)
        var refused = 0
        for await _ in Yielding(0..<300) {
            let text = try authority.sign(json: Data(generator.mutated(genuine)))
            if try await refusal({ try await verifier.trace(of: text, as: kind) }) != nil { refused += 1 }
        }
        #expect((1..<300).contains(refused), "some are refused and some are read")
    }
}
