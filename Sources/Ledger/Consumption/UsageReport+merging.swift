extension UsageReport {
    /// The subject of a report. Empty texts stand for all transactions and all products.
    package struct Subject: Sendable, Hashable {
        package var transactionID: String
        package var productID: String

        package init(transactionID: String = "", productID: String = "") {
            (self.transactionID, self.productID) = (transactionID, productID)
        }

        /// Everything that the customer bought.
        package static let everything = Subject()

        /// Returns the subjects whose reports apply to a transaction: the transaction, then its product, then
        /// everything.
        package static func byPrecedence(transactionID: String, productID: String) -> [Subject] {
            [Subject(transactionID: transactionID), Subject(productID: productID), .everything]
        }
    }

    /// The subject: the transaction, or else the product.
    package var subject: Subject {
        if let transactionID { return Subject(transactionID: transactionID) }
        return Subject(productID: productID ?? "")
    }

    /// The reports to store. Consent is stored for the customer, everything else for the subject.
    package var parts: [UsageReport] {
        var usage = self
        usage.customerConsented = nil
        if transactionID != nil { usage.productID = nil }
        guard let customerConsented else { return [usage] }
        return [UsageReport(customerConsented: customerConsented, reportedAt: reportedAt), usage]
    }

    /// Returns the report with the values of the stored one where this one has none. The later call counts, even if its
    /// instant is earlier, as after the clock was set back: a customer who withdraws consent then must be heard.
    package func merged(with known: UsageReport?) -> UsageReport {
        guard let known else { return self }
        var report = self
        report.customerConsented = customerConsented ?? known.customerConsented
        report.consumptionPercentage = consumptionPercentage ?? known.consumptionPercentage
        report.deliveryStatus = deliveryStatus ?? known.deliveryStatus
        report.sampleContentProvided = sampleContentProvided ?? known.sampleContentProvided
        return report
    }

    /// Returns the report to store if the customer of this one is merged into another customer, who has reported
    /// `known` about the same subject. The values of the newer report stay.
    package func moved(to known: UsageReport?, at now: Milliseconds) -> UsageReport {
        var report = self
        if let known { report = known.reportedAt >= reportedAt ? known.merged(with: self) : merged(with: known) }
        report.reportedAt = now
        return report
    }

    /// Returns the instant before which a customer's reports about single transactions and products are deleted, because
    /// they are too many; nil if all stay. Reports of one instant are deleted together.
    ///
    /// - Parameter instants: When they were reported, in any order.
    package static func oldestKept(of instants: [Milliseconds]) -> Milliseconds? {
        guard instants.count > maximumCount else { return nil }
        return instants.sorted(by: >)[maximumCount - 1]
    }
}
