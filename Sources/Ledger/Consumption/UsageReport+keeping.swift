extension UsageReport {
    /// What a report is about. Empty texts stand for all transactions and all products.
    package struct Subject: Sendable, Hashable {
        package var transactionID: String
        package var productID: String

        package init(transactionID: String = "", productID: String = "") {
            (self.transactionID, self.productID) = (transactionID, productID)
        }

        /// Everything that the customer bought.
        package static let everything = Subject()

        /// Where reports that hold for a transaction are looked for: what is about it, then its product, then everything.
        package static func inOrder(transactionID: String, productID: String) -> [Subject] {
            [Subject(transactionID: transactionID), Subject(productID: productID), .everything]
        }
    }

    /// What it is about: the transaction, or else the product.
    package var subject: Subject {
        if let transactionID { return Subject(transactionID: transactionID) }
        return Subject(productID: productID ?? "")
    }

    /// How it is kept: consent is the customer's, whatever it was reported with, and the rest is about what it names.
    package var parts: [UsageReport] {
        var usage = self
        usage.customerConsented = nil
        if transactionID != nil { usage.productID = nil }
        guard let customerConsented else { return [usage] }
        return [UsageReport(customerConsented: customerConsented, reportedAt: reportedAt), usage]
    }

    /// With what was reported before where this one says nothing.
    package func completed(by known: UsageReport?) -> UsageReport {
        guard let known else { return self }
        var report = self
        report.customerConsented = customerConsented ?? known.customerConsented
        report.consumptionPercentage = consumptionPercentage ?? known.consumptionPercentage
        report.deliveryStatus = deliveryStatus ?? known.deliveryStatus
        report.sampleContentProvided = sampleContentProvided ?? known.sampleContentProvided
        return report
    }
}
