package import AppStoreModels

/// An app's report on the use of purchased content. Nil properties were not reported.
package struct UsageReport: Sendable, Hashable {
    /// The transaction or else the product that the report is about. A report without either is about all purchases.
    package var transactionID: String?
    package var productID: String?
    /// Whether the customer consents to sending the data to the App Store. Consent applies to all of the customer's
    /// purchases.
    package var customerConsented: Bool?
    /// In thousandths of a percent, 0 to 100000.
    package var consumptionPercentage: Int32?
    package var deliveryStatus: DeliveryStatus?
    package var sampleContentProvided: Bool?
    package var reportedAt: Milliseconds

    /// The maximum number of transactions and products with a stored report, for each customer. An app may report
    /// anything, so the number is limited.
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

/// A consumption request of the App Store before it decides on a refund, and the progress of its answer.
package struct ConsumptionInquiry: Sendable, Hashable {
    /// The state of an inquiry.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// An answer is still possible.
        case pending
        /// The answer was accepted.
        case sent
        /// The App Store permanently refused the answer.
        case refused
        /// Nothing was sent in time. ``answer`` contains the reason.
        case missed
        /// The App Store decided before an answer was sent.
        case overtaken
    }

    /// The App Store's decision.
    package enum Decision: String, Sendable, Hashable, CaseIterable {
        case refunded
        case declined
    }

    /// The row identifier.
    package var id: Int64
    package var scope: Int64
    package var transactionID: String
    package var originalTransactionID: String
    /// The owner when the request arrived.
    package var customer: String?
    package var requestedAt: Milliseconds
    package var deadline: Milliseconds
    package var state: State
    package var attempts: Int
    package var nextAttemptAt: Milliseconds
    package var sentAt: Milliseconds?
    /// The JSON that was sent.
    package var sent: String?
    /// The App Store's response, or the reason why nothing was sent.
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

/// Stores usage reports and inquiries.
package protocol ConsumptionStorage: Sendable {
    /// Stores a usage report. Properties that it does not contain keep their earlier values. The later call counts, also
    /// if its instant is earlier; a call that is repeated after another one restores its values. The customer's pending
    /// inquiries become due. The instant is later than the customer's last erasure, which may have happened since the
    /// report arrived. Reports beyond ``UsageReport/maximumCount`` are deleted, the oldest first; those of one
    /// instant stay together.
    func record(_ report: UsageReport, of customer: String, in scope: Int64) async throws

    /// Returns the reports about the transaction, its product and the customer, in this order.
    func usage(
        of customer: String, transactionID: String, productID: String, in scope: Int64
    ) async throws -> [UsageReport]

    /// Leases the due inquiries, those with the earliest deadline first, then by row identifier, including those that a
    /// clock that was ahead has scheduled (see ``LongestDelay``). No other caller gets them before `leaseEnds`, which
    /// becomes the stored time of the next attempt; the returned inquiries have the earlier one. Repeating the call
    /// leases others. New information, such as a usage report, makes a leased inquiry due again: then two callers may
    /// answer it, and the first final result counts.
    ///
    /// - Parameter scopes: Inquiries of these scopes are neither leased nor counted for `limit`.
    func leaseInquiries(
        at now: Milliseconds, leaseEnds: Milliseconds, limit: Int, except scopes: Set<Int64>
    ) async throws -> [ConsumptionInquiry]

    /// Records the result for an inquiry that was leased until `leaseEnds`, unless its state is already final. An
    /// earlier attempt that was scheduled meanwhile because of new information stays.
    func recordOutcome(of inquiry: ConsumptionInquiry, leaseEnds: Milliseconds) async throws

    /// Returns the inquiries of an app and environment that wait for an answer, those with the earliest deadline first,
    /// then by row identifier.
    ///
    /// - Parameter position: Only inquiries after this position; nil for all.
    func pendingInquiries(
        in scope: Int64, after position: InquiryPosition?, limit: Int
    ) async throws -> [ConsumptionInquiry]

    /// Returns the backlog of each of the scopes that has one: of the pending inquiries whose deadline is before `end`
    /// and whose ``ConsumptionInquiry/answer`` is none of `answers`.
    func inquiryBacklogs(
        in scopes: [Int64], dueBefore end: Milliseconds, without answers: [String]
    ) async throws -> [Int64: InquiryBacklog]

    /// Returns the inquiries of an app and environment, the newest first.
    func inquiries(in scope: Int64, before id: Int64, limit: Int) async throws -> [ConsumptionInquiry]

    /// Returns the inquiries about purchases, or about one transaction of them, the newest (by the instant of the
    /// request, then by row identifier) first.
    func inquiries(
        about originalTransactionIDs: [String], transactionID: String?, in scope: Int64, limit: Int
    ) async throws -> [ConsumptionInquiry]
}

extension ConsumptionStorage {
    /// Returns the backlog of each of the scopes that has one: of the inquiries that the server tries to answer, without
    /// those that should not be answered, because there is no consent, for example (see
    /// ``ConsumptionPreview/Obstacle``).
    package func inquiryBacklogs(
        in scopes: [Int64], dueBefore end: Milliseconds = .max
    ) async throws -> [Int64: InquiryBacklog] {
        let obstacles = ConsumptionPreview.Obstacle.allCases.map(\.rawValue)
        return try await inquiryBacklogs(in: scopes, dueBefore: end, without: obstacles)
    }
}

/// The pending inquiries that match a query.
package struct InquiryBacklog: Sendable, Hashable {
    package var count: Int
    /// When the oldest was requested.
    package var oldest: Milliseconds?
    /// The first deadline.
    package var firstDeadline: Milliseconds?

    package init(count: Int = 0, oldest: Milliseconds? = nil, firstDeadline: Milliseconds? = nil) {
        (self.count, self.oldest, self.firstDeadline) = (count, oldest, firstDeadline)
    }

    /// Creates the backlog of several scopes together.
    package init(_ backlogs: some Collection<InquiryBacklog>) {
        self.init(
            count: backlogs.reduce(0) { $0 + $1.count }, oldest: backlogs.compactMap(\.oldest).min(),
            firstDeadline: backlogs.compactMap(\.firstDeadline).min())
    }
}

/// A position in the list of pending inquiries.
package struct InquiryPosition: Sendable, Hashable {
    package var deadline: Milliseconds
    /// The row identifier.
    package var id: Int64

    package init(deadline: Milliseconds, id: Int64) { (self.deadline, self.id) = (deadline, id) }
}
