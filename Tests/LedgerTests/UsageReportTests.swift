import AppStoreModels
import Ledger
import Testing

@Suite struct `Usage reports` {
    private typealias Subject = UsageReport.Subject

    @Test func `A usage report is looked up by transaction, then product, then for all purchases`() {
        #expect(
            Subject.byPrecedence(transactionID: "t", productID: "p")
                == [Subject(transactionID: "t"), Subject(productID: "p"), .everything])
    }

    @Test(arguments: [
        ("t" as String?, "p" as String?, UsageReport.Subject(transactionID: "t")),
        ("t", nil, .init(transactionID: "t")), (nil, "p", .init(productID: "p")), (nil, nil, .everything),
    ])
    func `A usage report is about the transaction or, without one, the product`(
        _ transaction: String?, _ product: String?, _ subject: UsageReport.Subject
    ) {
        let report = UsageReport(transactionID: transaction, productID: product, reportedAt: 1)
        #expect(report.subject == subject)
        #expect(report.parts.map(\.subject) == [subject])
    }

    @Test(arguments: [true, false])
    func `A usage report is split into consent for all purchases and usage of its subject`(_ consents: Bool) {
        let report = UsageReport(
            transactionID: "t", productID: "p", customerConsented: consents, consumptionPercentage: 7, reportedAt: 1)
        #expect(
            report.parts == [
                UsageReport(customerConsented: consents, reportedAt: 1),
                UsageReport(transactionID: "t", consumptionPercentage: 7, reportedAt: 1),
            ])
    }

    @Test func `Merging a usage report keeps the known values that it does not contain`() {
        let known = UsageReport(
            customerConsented: true, consumptionPercentage: 7, deliveryStatus: .delivered,
            sampleContentProvided: true, reportedAt: 1)
        let empty = UsageReport(reportedAt: 2)
        var expected = known
        expected.reportedAt = 2
        #expect(empty.merged(with: known) == expected)
        let complete = UsageReport(
            customerConsented: false, consumptionPercentage: 0, deliveryStatus: .init(rawValue: "OTHER"),
            sampleContentProvided: false, reportedAt: 3)
        #expect(complete.merged(with: known) == complete)
        #expect(complete.merged(with: nil) == complete)
        // After the clock was set back, a later report has an earlier instant.
        let later = UsageReport(customerConsented: true, reportedAt: 1)
        #expect(later.merged(with: complete).customerConsented == true)
        #expect(later.merged(with: complete).reportedAt == 1)
    }

    @Test(arguments: [(Milliseconds(4), false), (5, true), (6, true)])
    func `Of the reports of two merged customers, the values of the newer one stay`(
        _ known: Milliseconds, _ keepsKnown: Bool
    ) {
        let report = UsageReport(customerConsented: false, consumptionPercentage: 7, reportedAt: 5)
        let other = UsageReport(customerConsented: true, deliveryStatus: .delivered, reportedAt: known)
        #expect(
            report.moved(to: other, at: 9)
                == UsageReport(
                    customerConsented: keepsKnown, consumptionPercentage: 7, deliveryStatus: .delivered,
                    reportedAt: 9))
        #expect(
            report.moved(to: nil, at: 9)
                == UsageReport(customerConsented: false, consumptionPercentage: 7, reportedAt: 9))
    }

    @Test func `Of more than 1000 usage reports the oldest are deleted, those of one instant together`() {
        let most = Milliseconds(UsageReport.maximumCount)
        #expect(most == 1000)
        #expect(UsageReport.oldestKept(of: Array(1...most)) == nil)
        #expect(UsageReport.oldestKept(of: Array(1...most + 1)) == 2)
        #expect(UsageReport.oldestKept(of: (1...most + 1).reversed()) == 2)
        // The reports of instant 2 exceed the limit, but none of them is older than the others.
        #expect(UsageReport.oldestKept(of: [1, 2] + Array(2...most)) == 2)
    }
}
