import CounterfoilServer
import Testing

@testable import Ledger

@Suite struct `A secret` {
    private struct Holder {
        let secret = Secret("correct horse")
    }

    @Test func `No description and no dump shows a secret`() {
        var dumped = ""
        dump([Holder()], to: &dumped)
        let texts = [
            "\(Secret("correct horse"))", String(reflecting: Secret("correct horse")), "\(Holder())",
            String(reflecting: Holder()), dumped,
        ]
        for text in texts { #expect(!text.contains("horse")) }
        #expect(texts[0] == "<secret>")
    }

    @Test func `A secret matches its own text only`() {
        #expect(Secret("correct horse").matches("correct horse"))
        #expect(!Secret("correct horse").matches("correct horsE"))
        #expect(!Secret("correct horse").matches(""))
    }

    @Test func `An API key is long and random, and its hash is SHA-256`() {
        let (first, second) = (APIKeyText.make(), APIKeyText.make())
        #expect(first != second && first.hasPrefix("cfk_") && first.utf8.count == 47)
        // FIPS 180-2, the example with one block.
        #expect(
            APIKeyText.hexadecimalHash(of: "abc")
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
