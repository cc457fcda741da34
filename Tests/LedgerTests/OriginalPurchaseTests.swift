import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `Original purchases of the app` {
    private static func purchase(_ kind: OriginalPurchase.Kind, signed: Milliseconds, _ text: String)
        -> OriginalPurchase
    {
        OriginalPurchase(
            scope: 1, subject: "account", kind: kind,
            fact: OriginalPurchaseFact(signedDate: Date(milliseconds: signed)), origin: .app, receivedAt: 9, text: text)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var new: OriginalPurchase
        var kind = OriginalPurchase.Kind.appTransaction
        var signed: Milliseconds = 5
        /// The stored text; nil if it is corrupt.
        var text: String?
        var replaces: Bool
    }

    static let cases = [
        Case(
            testDescription: "an app transaction replaces a newer receipt",
            new: purchase(.appTransaction, signed: 4, "a"), kind: .receipt, text: "b", replaces: true),
        Case(
            testDescription: "a receipt does not replace an older app transaction",
            new: purchase(.receipt, signed: 6, "b"), text: "a", replaces: false),
        Case(
            testDescription: "the later date wins", new: purchase(.appTransaction, signed: 6, "a"), text: "b",
            replaces: true),
        Case(
            testDescription: "an earlier date does not", new: purchase(.appTransaction, signed: 4, "b"), text: "a",
            replaces: false),
        Case(
            testDescription: "of equal dates the greater text wins", new: purchase(.appTransaction, signed: 5, "b"),
            text: "a", replaces: true),
        Case(
            testDescription: "a smaller text does not", new: purchase(.appTransaction, signed: 5, "a"), text: "b",
            replaces: false),
        Case(
            testDescription: "an equal text changes nothing", new: purchase(.appTransaction, signed: 5, "a"), text: "a",
            replaces: false),
        Case(
            testDescription: "every text replaces a corrupt one", new: purchase(.appTransaction, signed: 5, "a"),
            text: nil, replaces: true),
    ]

    @Test(arguments: cases)
    func `The version that stays depends on kind, date and text, not on the order of arrival`(_ testCase: Case) {
        let replaces = testCase.new.replaces((testCase.kind, testCase.signed)) { testCase.text }
        #expect(replaces == testCase.replaces)
    }
}
