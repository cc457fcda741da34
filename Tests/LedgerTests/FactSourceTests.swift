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

    /// Names that are less than, equal to and greater than `\u{E9}` by their bytes. The first is equal as Unicode.
    private static let (less, equal, greater) = ("e\u{301}", "\u{E9}", "\u{FFFD}")

    @Test(
        arguments: [
            (.notification(1), -3, greater, [], true), (.signedFact(1), 3, less, [], false),
            (.notification(1), 3, less, [3], true), (.notification(1), 3, equal, [3], false),
            (.notification(1), 3, greater, [3], false), (.signedFact(1), -3, less, [3], true),
            (.signedFact(1), -3, greater, [3], false), (.notification(1), 3, nil, [3], true),
            (.signedFact(1), -3, nil, [3], true), (.notification(1), 0, greater, [], true),
            (.signedFact(1), 0, greater, [], true),
        ] as [(FactSource, Int64, String?, [Int64], Bool)])
    func `A notification has priority over a signed fact with the same fact, and of one kind the greater text`(
        _ source: FactSource, _ other: Int64, _ key: String?, _ read: [Int64], _ precedes: Bool
    ) throws {
        var compared: [Int64] = []
        let known = LineageRecord.Source(source, key: Self.equal, wasReceipt: { _ in false }) { number in
            compared.append(number)
            return key
        }
        let result = try known.precedes(other)
        #expect(known.id == source.code && result == precedes)
        #expect(compared == read)
    }

    @Test func `Only the source of a signed fact has its number`() {
        #expect(FactSource.signedFact(7).signedFact == 7)
        #expect(FactSource.notification(7).signedFact == nil)
    }
}
