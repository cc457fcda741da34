import Basics
import Foundation
import Testing

struct Base64Tests {
    @Test func `decodes what it encodes, of every length and with every byte`() {
        var random = SystemRandomNumberGenerator()
        for count in 0..<300 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Base64.decodeURL(Base64.encodeURL(bytes)) == bytes)
            #expect(Base64.decode(Data(bytes).base64EncodedString()) == bytes)
        }
    }

    @Test func `takes the letters of one alphabet only, wherever they stand`() {
        let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        for byte in UInt8.min...UInt8.max {
            for place in 0..<8 {
                // The last of a group of two or three has bits that must be zero: not looked at here.
                var text = [UInt8]("AAAAAAAA".utf8)
                text[place] = byte
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
    func `refuses bits that nothing needs`(_ text: String) { #expect(Base64.decodeURL(text) == nil) }

    @Test(arguments: ["A", "AAAAA", "AA=", "AA==", "A A", "AAAA\n", "A*A", "AA*"])
    func `refuses impossible lengths, padding and what is no letter`(_ text: String) {
        #expect(Base64.decodeURL(text) == nil)
    }

    @Test(arguments: ["AA", "AAA", "AA=A", "A===", "====", "AB==", "AAB=", "AA==AA=="])
    func `wants the padding of the standard form where it belongs`(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
