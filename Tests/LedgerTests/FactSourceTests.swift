import Ledger
import Testing

@Suite struct `The source of a fact` {
    @Test(arguments: [
        (FactSource.notification(1), 1 as Int64), (.notification(.max), .max), (.statement(1), -1),
        (.statement(.max), -Int64.max),
    ])
    func `is kept as one number`(_ source: FactSource, _ code: Int64) {
        #expect(source.code == code)
        #expect(FactSource(code: code) == source)
    }

    @Test(arguments: [0, Int64.min]) func `is none where the number stands for nothing`(_ code: Int64) {
        #expect(FactSource(code: code) == nil)
    }

    @Test func `names a statement`() {
        #expect(FactSource.statement(7).statement == 7)
        #expect(FactSource.notification(7).statement == nil)
    }
}
