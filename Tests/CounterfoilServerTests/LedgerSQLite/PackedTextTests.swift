import AppStoreTrust
import Basics
import CounterfoilServer
import Foundation
import TestSupport
import Testing

@testable import LedgerSQLite

@Suite struct `Packed signed texts` {
    @Test func `A packed notification is restored exactly and is less than a third of the size`() async throws {
        let history = try await RandomStoreHistory.shared.value
        let registry = HeaderRegistry()
        var (before, after) = (0, 0)
        for text in history.notifications.map(\.text) + history.transactions.map(\.text) + history.renewals.map(\.text)
        {
            let packed = registry.pack(text)
            #expect(registry.unpack(packed.bytes) == text)
            before += text.utf8.count
            after += packed.bytes.count
        }
        #expect(after * 3 < before)
    }

    @Test(.enabled(if: Fixtures.hasSignedData, Comment(rawValue: Fixtures.absence)))
    func `Genuine signed data is restored exactly`() throws {
        let registry = HeaderRegistry()
        for jws in Fixtures.signedData {
            let text = try jws.text()
            #expect(registry.unpack(registry.pack(text).bytes) == text, "\(jws)")
        }
    }

    @Test func `Hostile text is restored exactly`() async {
        let registry = HeaderRegistry()
        var random = SeededGenerator(seed: 1)
        let pieces = [
            "", ".", "..", "a", "A", "AA", "AB", "eyJ", "\"eyJ", "\"", "=", "-", "_", "\u{0}", "é", "🎟️", "\r\n",
            Base64.encodeURL(Data("{\"a\":\"eyJh.eyJi.AAAA\"}".utf8)),
            Base64.encodeURL(Data("\"eyJh.eyJi.AAAB\"".utf8)),
            Base64.encodeURL(Data("{\"a\":\"eyJh.AA.AA\"".utf8)), String(repeating: "A", count: 400), "eyJh.eyJi.AAAA",
        ]
        for await _ in Yielding(0..<5_000) {
            let text = (0..<Int.random(in: 0..<8, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            #expect(registry.unpack(registry.pack(text).bytes)?.utf8.elementsEqual(text.utf8) == true, "\(text)")
        }
    }

    @Test func `Damaged bytes are not unpacked, or give another text, which can be packed`() async throws {
        let registry = HeaderRegistry()
        var random = SeededGenerator(seed: 2)
        let history = try await RandomStoreHistory.shared.value
        let text = try #require(history.notifications.first?.text)
        let good = registry.pack(text).bytes
        var damaged = stride(from: 0, to: good.count, by: 3).map { Data(good.prefix($0)) }
        for index in stride(from: 0, to: good.count, by: 3) {
            var bytes = [UInt8](good)
            bytes[index] ^= UInt8.random(in: 1...255, using: &random)
            damaged.append(Data(bytes))
        }
        for await _ in Yielding(0..<300) {
            var bytes = [UInt8](good)
            for _ in 0..<3 {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = .random(in: 0...255, using: &random)
            }
            if !good.elementsEqual(bytes) { damaged.append(Data(bytes)) }
        }
        let others = damaged.compactMap { registry.unpack($0) }
        #expect(!others.isEmpty && others.count < damaged.count)
        for other in others {
            #expect(!other.utf8.elementsEqual(text.utf8))
            #expect(registry.unpack(registry.pack(other).bytes)?.utf8.elementsEqual(other.utf8) == true)
        }
    }

    @Test func `A damaged header is not loaded, and the next text with that header stores it again`() async throws {
        let history = try await RandomStoreHistory.shared.value
        let text = try #require(history.notifications.first?.text)
        let packed = HeaderRegistry().pack(text)
        try #require(!packed.headers.isEmpty)
        let registry = HeaderRegistry()
        for number in packed.headers { registry.load(number, "eyJh") }
        #expect(registry.unpack(packed.bytes) == nil)
        #expect(Set(registry.unstored(registry.pack(text).headers).map(\.0)) == packed.headers)
        #expect(registry.unpack(packed.bytes) == text)
    }

    @Test func `Empty and unknown bytes are not unpacked`() async throws {
        let registry = HeaderRegistry()
        let history = try await RandomStoreHistory.shared.value
        let good = registry.pack(try #require(history.notifications.first?.text)).bytes
        #expect(
            registry.unpack(Data()) == nil && registry.unpack(Data([9])) == nil && HeaderRegistry().unpack(good) == nil)
    }
}
