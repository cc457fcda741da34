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

    @Test(
        arguments: [
            (.notification(1), -3, false, true), (.signedFact(1), 3, true, false), (.notification(1), 3, true, true),
            (.notification(1), 3, false, false), (.signedFact(1), -3, true, true), (.signedFact(1), -3, false, false),
            (.notification(1), 0, false, true), (.signedFact(1), 0, false, true),
        ] as [(FactSource, Int64, Bool, Bool)])
    func `A notification precedes a signed fact with the same fact, and texts of one kind are compared`(
        _ source: FactSource, _ other: Int64, _ precedesSame: Bool, _ precedes: Bool
    ) throws {
        var compared: [Int64] = []
        let known = LineageRecord.Source(source, wasReceipt: { _ in false }) { number in
            compared.append(number)
            return precedesSame
        }
        let result = try known.precedes(other)
        #expect(known.id == source.code && result == precedes)
        #expect(compared.allSatisfy { $0 == 3 })
    }

    @Test func `Only the source of a signed fact has its number`() {
        #expect(FactSource.signedFact(7).signedFact == 7)
        #expect(FactSource.notification(7).signedFact == nil)
    }
}
