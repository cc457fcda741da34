import AppStoreModels
import AppStoreServer
import Basics
import Foundation
import TestSupport
import Testing

@testable import StoreSimulator

/// Failures print both JSON texts, because long byte arrays are unreadable.
@Suite struct `JSON writer of the simulator` {
    private static let seeds: [UInt64] = Array(1...8)
    private static let count = 500

    @Test(arguments: seeds)
    func `JSONWriter writes a transaction byte for byte as Foundation does`(_ seed: UInt64) async throws {
        var random = RandomPayloads(seed: seed)
        for await _ in Yielding(0..<Self.count) { try expectEqual(random.transaction()) }
    }

    @Test(arguments: seeds)
    func `JSONWriter writes renewal info byte for byte as Foundation does`(_ seed: UInt64) async throws {
        var random = RandomPayloads(seed: seed)
        for await _ in Yielding(0..<Self.count) { try expectEqual(random.renewal()) }
    }

    @Test(arguments: seeds)
    func `JSONWriter writes a notification byte for byte as Foundation does`(_ seed: UInt64) async throws {
        var random = RandomPayloads(seed: seed)
        for await _ in Yielding(0..<Self.count) { try expectEqual(random.notification()) }
    }

    @Test(arguments: seeds)
    func `JSONWriter writes an app transaction byte for byte as Foundation does`(_ seed: UInt64) async throws {
        var random = RandomPayloads(seed: seed)
        for await _ in Yielding(0..<Self.count) { try expectEqual(random.appTransaction()) }
    }

    @Test func `JSONWriter writes every character up to U+2100 as Foundation does`() async throws {
        var random = RandomPayloads(seed: 1)
        for await scalar in Yielding((0...0x2100).compactMap(Unicode.Scalar.init)) {
            var payload = random.notification()
            payload.notificationUUID = "\(Character(scalar))x\(Character(scalar))"
            try expectEqual(payload)
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e20])
    func `JSONWriter and Foundation both refuse a date without a number of milliseconds`(_ seconds: Double) throws {
        var random = RandomPayloads(seed: 1)
        var payload = random.transaction()
        payload.signedDate = Date(timeIntervalSince1970: seconds)
        let foundation = #expect(throws: SigningError.self) { try CompactJWS.json(payload) }
        let writer = #expect(throws: SigningError.self) { try payload.jsonBytes() }
        #expect(foundation?.code == .unencodable && writer?.code == .unencodable)
    }

    @Test(arguments: Fixtures.signedData)
    func `JSONWriter writes Apple's payloads byte for byte as Foundation does`(_ file: GenuineJWS) throws {
        let segment = try #require(file.text().split(separator: ".").dropFirst().first)
        let json = Data(try #require(Base64.decodeURL(segment)))
        let decoder = JSONDecoder()
        switch file.kind {
        case "transaction": try expectEqual(decoder.decode(JWSTransactionDecodedPayload.self, from: json))
        case "renewal": try expectEqual(decoder.decode(JWSRenewalInfoDecodedPayload.self, from: json))
        default: try expectEqual(decoder.decode(ResponseBodyV2DecodedPayload.self, from: json))
        }
    }

    private func expectEqual(
        _ payload: some JSONWritable & Encodable, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let (fast, slow) = (try payload.jsonBytes(), try CompactJWS.json(payload))
        if !fast.elementsEqual(slow) {
            Issue.record(
                "\(String(decoding: fast, as: UTF8.self))\n\(String(decoding: slow, as: UTF8.self))",
                sourceLocation: location)
        }
    }
}
