package import AppStoreModels

/// What an app reports about the use of what a customer bought. What is nil was not said.
package struct UsageReport: Sendable, Hashable {
    /// The transaction it is about, or else the product; neither is for everything.
    package var transactionID: String?
    package var productID: String?
    /// Whether the customer agrees that this is sent to the App Store. It holds for everything that the customer bought.
    package var customerConsented: Bool?
    /// In thousandths of a percent, 0 to 100000.
    package var consumptionPercentage: Int32?
    package var deliveryStatus: DeliveryStatus?
    package var sampleContentProvided: Bool?
    package var reportedAt: Milliseconds

    /// The most transactions and products that use is remembered of, for a customer. Apps can be made to report anything.
    package static let maximumCount = 1000

    package init(
        transactionID: String? = nil, productID: String? = nil, customerConsented: Bool? = nil,
        consumptionPercentage: Int32? = nil, deliveryStatus: DeliveryStatus? = nil,
        sampleContentProvided: Bool? = nil, reportedAt: Milliseconds
    ) {
        self.transactionID = transactionID
        self.productID = productID
        self.customerConsented = customerConsented
        self.consumptionPercentage = consumptionPercentage
        self.deliveryStatus = deliveryStatus
        self.sampleContentProvided = sampleContentProvided
        self.reportedAt = reportedAt
    }
}

/// A question of the App Store before it decides on a refund, and what became of it.
package struct ConsumptionInquiry: Sendable, Hashable {
    /// Where it stands.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// An answer is still possible.
        case pending
        /// The answer was accepted.
        case sent
        /// The App Store refused the answer for good.
        case refused
        /// Nothing was sent in time: see ``answer`` for the reason.
        case missed
        /// The App Store decided before there was an answer.
        case overtaken
    }

    /// What the App Store decided.
    package enum Decision: String, Sendable, Hashable, CaseIterable {
        case refunded
        case declined
    }

    /// The storage's number for it.
    package var id: Int64
    package var scope: Int64
    package var transactionID: String
    package var originalTransactionID: String
    /// The customer at the time.
    package var customer: String?
    package var requestedAt: Milliseconds
    package var deadline: Milliseconds
    package var state: State
    package var attempts: Int
    package var nextAttemptAt: Milliseconds
    package var sentAt: Milliseconds?
    /// The JSON that was sent.
    package var sent: String?
    /// How the App Store answered, or why nothing was sent.
    package var answer: String?
    package var decision: Decision?
    package var decidedAt: Milliseconds?

    package init(
        id: Int64, scope: Int64, transactionID: String, originalTransactionID: String, customer: String? = nil,
        requestedAt: Milliseconds, deadline: Milliseconds, state: State, attempts: Int, nextAttemptAt: Milliseconds,
        sentAt: Milliseconds? = nil, sent: String? = nil, answer: String? = nil, decision: Decision? = nil,
        decidedAt: Milliseconds? = nil
    ) {
        self.id = id
        self.scope = scope
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.customer = customer
        self.requestedAt = requestedAt
        self.deadline = deadline
        self.state = state
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.sentAt = sentAt
        self.sent = sent
        self.answer = answer
        self.decision = decision
        self.decidedAt = decidedAt
    }
}

/// Keeps what is needed to answer the App Store before refunds.
package protocol ConsumptionStorage: Sendable {
    /// Records a report. What it does not say stays as it was reported before. Questions about the customer that wait are to
    /// be looked at again.
    func record(_ report: UsageReport, of customer: String, in scope: Int64) async throws

    /// What was reported about a transaction, its product and the customer, in this order.
    func usage(
        of customer: String, transactionID: String, productID: String, in scope: Int64
    ) async throws -> [UsageReport]

    /// Takes the questions whose time has come, the one to be answered first before the others. Nobody else gets them before
    /// `leaseEnds`.
    func takeInquiries(at now: Milliseconds, leaseEnds: Milliseconds, limit: Int) async throws -> [ConsumptionInquiry]

    /// Records what became of a question that was taken until `leaseEnds`, unless it is settled already. If it is to be looked
    /// at again because of what was learned meanwhile, it is not put off.
    func settle(_ inquiry: ConsumptionInquiry, leaseEnds: Milliseconds) async throws

    /// The questions of an app and environment that wait for an answer, the one to be answered first before the others.
    func pendingInquiries(in scope: Int64, limit: Int) async throws -> [ConsumptionInquiry]

    /// All questions of an app and environment, the newest first.
    func inquiries(in scope: Int64, before id: Int64, limit: Int) async throws -> [ConsumptionInquiry]

    /// The questions about what a customer has, or about one transaction of it, the newest first.
    func inquiries(
        about originalTransactionIDs: [String], transactionID: String?, in scope: Int64, limit: Int
    ) async throws -> [ConsumptionInquiry]
}
