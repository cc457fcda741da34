import Basics
import Foundation
import TestSupport
import Testing

struct Base64Tests {
    @Test func `Base64 decodes what it encodes, for every length and byte`() {
        var random = SeededGenerator(seed: 1)
        for count in 0..<300 {
            let bytes = random.bytes(count)
            #expect(Base64.decodeURL(Base64.encodeURL(bytes)) == bytes)
            #expect(Base64.decode(Data(bytes).base64EncodedString()) == bytes)
        }
    }

    @Test func `Base64 accepts the characters of its alphabet only, at every position`() {
        let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        for byte in UInt8.min...UInt8.max {
            for position in 0..<8 {
                // The last character of a group of two or three has bits that must be zero; another test checks them.
                var text = [UInt8]("AAAAAAAA".utf8)
                text[position] = byte
                let isCommon = common.utf8.contains(byte)
                let url = text.withUnsafeBytes { Base64.decodeURL($0) }
                #expect((url != nil) == (isCommon || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")))
                guard byte != UInt8(ascii: "=") else { continue }
                let standard = text.withUnsafeBytes { Base64.decode($0) }
                #expect((standard != nil) == (isCommon || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")))
            }
        }
    }

    @Test(arguments: ["AB", "Af", "AAB", "AAD", "AAAAAB", "AAAAAAF"])
    func `Base64url with leftover bits is refused`(_ text: String) { #expect(Base64.decodeURL(text) == nil) }

    @Test(arguments: ["A", "AAAAA", "AA=", "AA==", "A A", "AAAA\n", "A*A", "AA*"])
    func `Base64url with an impossible length, padding or other characters is refused`(_ text: String) {
        #expect(Base64.decodeURL(text) == nil)
    }

    @Test(arguments: ["AA", "AAA", "AA=A", "A===", "====", "AB==", "AAB=", "AA==AA=="])
    func `Standard base64 with missing or misplaced padding is refused`(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
