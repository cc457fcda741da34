import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

@Suite struct `The contract of usage reports` {
    /// Detects engines that leave reports with the merged customer, and those that replace the reports of the other one.
    @Test(arguments: Engine.allCases)
    func `A merge moves usage reports, of which the newer values stay`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let id = appEnvironment.id
            func usage(of customer: String) async throws -> [UsageReport] {
                try await ledger.usage(of: customer, transactionID: "1", productID: "gold", in: id)
            }
            let consent = UsageReport(customerConsented: true, reportedAt: 10)
            try await ledger.record(consent, of: "anna", in: id)
            let refusal = UsageReport(productID: "gold", customerConsented: false, reportedAt: 20)
            try await ledger.record(refusal, of: "token", in: id)
            let product = UsageReport(productID: "gold", consumptionPercentage: 5, reportedAt: 20)
            try await ledger.record(product, of: "token", in: id)
            let delivery = UsageReport(productID: "gold", deliveryStatus: .delivered, reportedAt: 30)
            try await ledger.record(delivery, of: "anna", in: id)
            try await ledger.record(UsageReport(customerConsented: true, reportedAt: 25), of: "cleo", in: id)
            for now in [Milliseconds(40), 50] {
                _ = try await ledger.merge("token", into: "anna", in: id, at: now)
                #expect(
                    try await usage(of: "anna") == [
                        UsageReport(
                            productID: "gold", consumptionPercentage: 5, deliveryStatus: .delivered, reportedAt: 40),
                        UsageReport(customerConsented: false, reportedAt: 40),
                    ])
                #expect(try await usage(of: "token").isEmpty)
            }
            #expect(try await usage(of: "cleo") == [UsageReport(customerConsented: true, reportedAt: 25)])
        }
    }

    /// Detects engines that keep the values with the later instant.
    @Test(arguments: Engine.allCases)
    func `The later of two usage reports counts, even if the clock was set back in between`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let id = appEnvironment.id
            let consent = UsageReport(
                productID: "gold", customerConsented: true, consumptionPercentage: 5, deliveryStatus: .delivered,
                reportedAt: 200)
            try await ledger.record(consent, of: "anna", in: id)
            let refusal = UsageReport(
                productID: "gold", customerConsented: false, consumptionPercentage: 7, reportedAt: 100)
            try await ledger.record(refusal, of: "anna", in: id)
            let usage = try await ledger.usage(of: "anna", transactionID: "1", productID: "gold", in: id)
            #expect(
                usage == [
                    UsageReport(
                        productID: "gold", consumptionPercentage: 7, deliveryStatus: .delivered, reportedAt: 100),
                    UsageReport(customerConsented: false, reportedAt: 100),
                ])
        }
    }

    /// An import applies the erasure again to everything up to its instant. The report may have arrived before the
    /// erasure and be stored after it.
    @Test(arguments: Engine.allCases)
    func `A report that is stored after an erasure has a later instant, even if it is older`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let id = appEnvironment.id
            _ = try await ledger.erase("anna", in: appEnvironment, at: 100)
            for (reported, stored) in [(90, 101), (100, 101), (200, 200)] as [(Milliseconds, Milliseconds)] {
                let report = UsageReport(customerConsented: true, reportedAt: reported)
                try await ledger.record(report, of: "anna", in: id)
                let usage = try await ledger.usage(of: "anna", transactionID: "1", productID: "gold", in: id)
                #expect(usage == [UsageReport(customerConsented: true, reportedAt: stored)])
            }
        }
    }

    /// Detects engines that keep a lease although there is new information, and those that store the last result.
    @Test(arguments: Engine.allCases)
    func `A usage report makes a leased consumption request due, and the first final result counts`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let (scope, now) = (appEnvironment.id, RandomFacts.start.milliseconds)
            let received = ReceivedNotification(
                scope: scope, uuid: notificationUUID(1), type: "CONSUMPTION_REQUEST", signedDate: now, receivedAt: now,
                origin: .delivered, text: "text")
            let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
            let fact = TransactionFact(
                transactionID: "1", originalTransactionID: "1", productID: "coins", type: .consumable,
                purchaseDate: RandomFacts.start, signedDate: RandomFacts.start)
            let request = ProcessedNotification(
                id: id, scope: scope, uuid: received.uuid, type: .consumptionRequest, signedDate: now,
                transaction: fact, processedAt: now)
            _ = try await ledger.commit(received: [], processed: [request])
            let claim = Claim(
                customer: "anna", scope: scope, originalTransactionIDs: ["1"], policy: .transfer, claimedAt: now)
            _ = try await ledger.claim(claim) { _ in false }
            var leased = try await ledger.leaseInquiries(at: now, leaseEnds: now + 1000, limit: 9)
            var first = try #require(leased.first)
            leased = try await ledger.leaseInquiries(at: now, leaseEnds: now + 2000, limit: 9)
            try #require(leased.isEmpty)
            try await ledger.record(UsageReport(consumptionPercentage: 5, reportedAt: now), of: "anna", in: scope)
            leased = try await ledger.leaseInquiries(at: now, leaseEnds: now + 2000, limit: 9)
            var second = try #require(leased.first)
            #expect(second.id == first.id)
            first.recordSuccess("{}", at: now + 5)
            try await ledger.recordOutcome(of: first, leaseEnds: now + 1000)
            second.recordFailure("no", isFinal: true, at: now + 6)
            try await ledger.recordOutcome(of: second, leaseEnds: now + 2000)
            let stored = try #require(try await ledger.inquiries(in: scope, before: .max, limit: 9).first)
            #expect(stored.state == .sent && stored.sent == "{}" && stored.answer == "accepted")
        }
    }
}
