import Ledger
import Testing

@Suite struct `Fact sources` {
    @Test(arguments: [
        (FactSource.notification(1), 1 as Int64), (.notification(.max), .max), (.signedFact(1), -1),
        (.signedFact(.max), -Int64.max),
    ])
    func `A fact source is encoded as one number and decoded from it`(_ source: FactSource, _ code: Int64) {
        #expect(source.code == code)
        #expect(FactSource(code: code) == source)
    }

    @Test(arguments: [0, Int64.min]) func `A number that stands for no source decodes to nil`(_ code: Int64) {
        #expect(FactSource(code: code) == nil)
    }

    @Test func `Only the source of a signed fact has its number`() {
        #expect(FactSource.signedFact(7).signedFact == 7)
        #expect(FactSource.notification(7).signedFact == nil)
    }
}
