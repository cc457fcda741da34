import AppStoreTrust
import Basics
import CounterfoilServer
import Foundation
import TestSupport
import Testing

@testable import LedgerSQLite

@Suite struct `A packed text` {
    @Test func `of a signed notification is exact again, and a third of the size`() async throws {
        let life = try await StoreLife.shared.value
        let book = HeaderRegistry()
        var (before, after) = (0, 0)
        for text in life.notifications.map(\.text) + life.transactions.map(\.text) + life.renewals.map(\.text) {
            let packed = book.pack(text)
            #expect(book.unpack(packed.bytes) == text)
            before += text.utf8.count
            after += packed.bytes.count
        }
        #expect(after * 3 < before)
    }

    @Test(.enabled(if: Fixtures.hasSignedData, Comment(rawValue: Fixtures.absence)))
    func `of genuine data is exact again`() throws {
        let book = HeaderRegistry()
        for jws in Fixtures.signedData {
            let text = try jws.text()
            #expect(book.unpack(book.pack(text).bytes) == text, "\(jws)")
        }
    }

    @Test func `of hostile text is exact again`() {
        let book = HeaderRegistry()
        var random = SeededGenerator(seed: 1)
        let pieces = [
            "", ".", "..", "a", "A", "AA", "AB", "eyJ", "\"eyJ", "\"", "=", "-", "_", "\u{0}", "é", "🎟️", "\r\n",
            Base64.encodeURL(Data("{\"a\":\"eyJh.eyJi.AAAA\"}".utf8)),
            Base64.encodeURL(Data("\"eyJh.eyJi.AAAB\"".utf8)),
            Base64.encodeURL(Data("{\"a\":\"eyJh.AA.AA\"".utf8)), String(repeating: "A", count: 400), "eyJh.eyJi.AAAA",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0..<8, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            #expect(book.unpack(book.pack(text).bytes)?.utf8.elementsEqual(text.utf8) == true, "\(text)")
        }
    }

    @Test func `that is damaged is nothing, and ends no process`() async throws {
        let book = HeaderRegistry()
        var random = SeededGenerator(seed: 2)
        let life = try await StoreLife.shared.value
        let good = book.pack(try #require(life.notifications.first?.text)).bytes
        for count in 0..<good.count { _ = book.unpack(good.prefix(count)) }
        for _ in 0..<5_000 {
            var bytes = [UInt8](good)
            for _ in 0..<3 {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = .random(in: 0...255, using: &random)
            }
            _ = book.unpack(Data(bytes))
        }
        #expect(book.unpack(Data()) == nil && book.unpack(Data([9])) == nil && HeaderRegistry().unpack(good) == nil)
    }
}
