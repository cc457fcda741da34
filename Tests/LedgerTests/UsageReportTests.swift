import AppStoreModels
import Ledger
import Testing

@Suite struct `A report of use` {
    private typealias Subject = UsageReport.Subject

    @Test func `is looked for under the transaction, then the product, then everything`() {
        #expect(
            Subject.inOrder(transactionID: "t", productID: "p")
                == [Subject(transactionID: "t"), Subject(productID: "p"), .everything])
    }

    @Test(arguments: [
        ("t" as String?, "p" as String?, UsageReport.Subject(transactionID: "t")),
        ("t", nil, .init(transactionID: "t")), (nil, "p", .init(productID: "p")), (nil, nil, .everything),
    ])
    func `is about the transaction, or else the product`(
        _ transaction: String?, _ product: String?, _ subject: UsageReport.Subject
    ) {
        let report = UsageReport(transactionID: transaction, productID: product, reportedAt: 1)
        #expect(report.subject == subject)
        #expect(report.parts.map(\.subject) == [subject])
    }

    @Test(arguments: [true, false]) func `is consent for everything and use of what it names`(_ consents: Bool) {
        let report = UsageReport(
            transactionID: "t", productID: "p", customerConsented: consents, consumptionPercentage: 7, reportedAt: 1)
        #expect(
            report.parts == [
                UsageReport(customerConsented: consents, reportedAt: 1),
                UsageReport(transactionID: "t", consumptionPercentage: 7, reportedAt: 1),
            ])
    }

    @Test func `leaves what it does not say as it was`() {
        let known = UsageReport(
            customerConsented: true, consumptionPercentage: 7, deliveryStatus: .delivered,
            sampleContentProvided: true, reportedAt: 1)
        let silent = UsageReport(reportedAt: 2)
        var expected = known
        expected.reportedAt = 2
        #expect(silent.completed(by: known) == expected)
        let loud = UsageReport(
            customerConsented: false, consumptionPercentage: 0, deliveryStatus: .init(rawValue: "OTHER"),
            sampleContentProvided: false, reportedAt: 3)
        #expect(loud.completed(by: known) == loud)
        #expect(loud.completed(by: nil) == loud)
    }
}
