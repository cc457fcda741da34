internal import AppStoreModels
internal import Entitlements
package import Foundation
package import Ledger

/// The binary form of a record. A record is one value in the database, so that reading a customer, and processing a
/// notification, touches one place of the disk.
///
/// First come the values for customer queries (the transactions, the renewal info), then the source of each fact, then
/// the notifications. Equal records have equal bytes.
package enum PackedLineage {
    package static let version: UInt8 = 2
    /// Version 1 has neither prices nor grace periods that have ended.
    private static let readable: ClosedRange<UInt8> = 1...version
    /// The minimum size of a transaction in bytes.
    private static let leastOfTransaction = 10

    /// Encodes a record.
    ///
    /// - Parameter version: The version to write; version 1 has neither prices nor grace periods that have ended.
    package static func pack(_ record: LineageRecord, version: UInt8 = version) -> Data {
        // The approximate size of a transaction with its notifications.
        var writer = PackedWriter(capacity: 64 + 64 * record.count)
        writer.number(UInt64(record.sources.count))
        var token: UUID?
        // Iterates over indices because copying a fact is expensive.
        for place in record.lineage.transactions.indices {
            write(record.lineage.transactions[place], version, &token, &writer)
        }
        writer.append(record.lineage.renewal == nil ? 0 : 1)
        if let fact = record.lineage.renewal { write(fact, version > 1 ? record.lineage.gracePeriod : nil, &writer) }
        for source in record.sources { writer.signed(source) }
        if let source = record.renewalSource { writer.signed(source) }
        writer.number(UInt64(record.mentions.count))
        var last: Int64 = 0
        for mention in record.mentions {
            writer.signed(mention.notification &- last)
            writer.signed(mention.signedDate)
            last = mention.notification
        }
        return writer.packed(version: version)
    }

    /// Decodes the facts alone; nil if the bytes are corrupt. The account data are not in the bytes.
    package static func lineage(_ original: String, _ bytes: UnsafeRawBufferPointer) -> Lineage? {
        var reader = PackedReader(bytes, versions: readable)
        let lineage = lineage(original, &reader)
        return reader.isDamaged ? nil : lineage
    }

    /// Decodes the whole record; nil if the bytes are corrupt.
    package static func record(
        _ original: String, token: UUID?, account: String?, _ bytes: UnsafeRawBufferPointer
    ) -> LineageRecord? {
        var reader = PackedReader(bytes, versions: readable)
        var lineage = lineage(original, &reader)
        (lineage.appAccountToken, lineage.appTransactionID) = (token, account)
        let sources = lineage.transactions.map { _ in reader.signed() }
        let renewalSource = lineage.renewal.map { _ in reader.signed() }
        var last: Int64 = 0
        let mentions = (0..<reader.count()).map { _ in
            last &+= reader.signed()
            return LineageRecord.Mention(notification: last, signedDate: reader.signed())
        }
        guard !reader.isDamaged else { return nil }
        return LineageRecord(lineage, sources: sources, renewalSource: renewalSource, mentions: mentions)
    }

    private static func lineage(_ original: String, _ reader: inout PackedReader) -> Lineage {
        let count = reader.count(bytesEach: leastOfTransaction)
        var transactions: [TransactionFact] = []
        transactions.reserveCapacity(count)
        var token: UUID?
        for _ in 0..<count where !reader.isDamaged { transactions.append(transaction(original, &token, &reader)) }
        var lineage = Lineage(originalTransactionID: original, transactions: transactions)
        if reader.byte() != 0 { readRenewal(of: original, into: &lineage, &reader) }
        return lineage
    }

    // MARK: - Transactions

    /// The optional properties that a transaction has.
    private struct Parts: OptionSet {
        let rawValue: UInt64

        static let expires = Parts(rawValue: 1)
        static let revocation = Parts(rawValue: 2)
        static let revocationReason = Parts(rawValue: 4)
        static let revocationType = Parts(rawValue: 8)
        static let isUpgraded = Parts(rawValue: 16)
        static let offerType = Parts(rawValue: 32)
        static let offer = Parts(rawValue: 64)
        static let discount = Parts(rawValue: 128)
        static let quantity = Parts(rawValue: 256)
        static let newToken = Parts(rawValue: 512)
        /// The same token as in the previous transaction.
        static let sameToken = Parts(rawValue: 1024)
        static let previousOriginal = Parts(rawValue: 2048)
        static let price = Parts(rawValue: 4096)
        static let currency = Parts(rawValue: 8192)
        static let revocationPercentage = Parts(rawValue: 16384)

        init(rawValue: UInt64) { self.rawValue = rawValue }

        init(_ fact: TransactionFact, _ version: UInt8, lastToken: UUID?) {
            self = []
            if fact.expiresDate != nil { insert(.expires) }
            if fact.revocationDate != nil { insert(.revocation) }
            if fact.revocationReason != nil { insert(.revocationReason) }
            if fact.revocationType != nil { insert(.revocationType) }
            if fact.isUpgraded { insert(.isUpgraded) }
            if fact.offerType != nil { insert(.offerType) }
            if fact.offerIdentifier != nil { insert(.offer) }
            if fact.offerDiscountType != nil { insert(.discount) }
            if fact.quantity != 1 { insert(.quantity) }
            if let token = fact.appAccountToken { insert(token == lastToken ? .sameToken : .newToken) }
            if fact.previousOriginalTransactionID != nil { insert(.previousOriginal) }
            guard version > 1 else { return }
            if fact.price != nil { insert(.price) }
            if fact.currency != nil { insert(.currency) }
            if fact.revocationPercentage != nil { insert(.revocationPercentage) }
        }
    }

    private static func write(
        _ fact: TransactionFact, _ version: UInt8, _ lastToken: inout UUID?, _ writer: inout PackedWriter
    ) {
        let parts = Parts(fact, version, lastToken: lastToken)
        let purchased = fact.purchaseDate.milliseconds
        writer.number(parts.rawValue)
        writer.text(fact.transactionID)
        writer.word(fact.productID)
        writer.word(fact.type.rawValue)
        writer.word(fact.ownership.rawValue)
        writer.word(fact.subscriptionGroupIdentifier)
        writer.word(fact.reason?.rawValue)
        writer.word(fact.appTransactionID)
        writer.signed(purchased)
        writer.signed(fact.signedDate.milliseconds &- purchased)
        if let date = fact.expiresDate { writer.signed(date.milliseconds &- purchased) }
        if let date = fact.revocationDate { writer.signed(date.milliseconds &- purchased) }
        if let reason = fact.revocationReason { writer.signed(Int64(reason.rawValue)) }
        if let type = fact.revocationType { writer.word(type.rawValue) }
        if let type = fact.offerType { writer.signed(Int64(type.rawValue)) }
        if let offer = fact.offerIdentifier { writer.word(offer) }
        if let type = fact.offerDiscountType { writer.word(type.rawValue) }
        if parts.contains(.quantity) { writer.signed(Int64(fact.quantity)) }
        if parts.contains(.newToken), let token = fact.appAccountToken { writer.append(contentsOf: token.bytes) }
        if let original = fact.previousOriginalTransactionID { writer.word(original) }
        if parts.contains(.price), let price = fact.price { writer.signed(price) }
        if parts.contains(.currency), let currency = fact.currency { writer.word(currency) }
        if parts.contains(.revocationPercentage), let part = fact.revocationPercentage { writer.signed(Int64(part)) }
        if let token = fact.appAccountToken { lastToken = token }
    }

    private static func transaction(
        _ original: String, _ lastToken: inout UUID?, _ reader: inout PackedReader
    ) -> TransactionFact {
        // In the order of writing. The fact is created with one call, since changing one is expensive.
        let parts = Parts(rawValue: reader.number())
        let id = reader.text()
        let (product, type, ownership) = (reader.word(), reader.word(), reader.word())
        let (group, reason, account) = (reader.optionalWord(), reader.optionalWord(), reader.optionalWord())
        let purchased = reader.signed()
        let signed = purchased &+ reader.signed()
        func date(_ part: Parts) -> Date? {
            parts.contains(part) ? Date(milliseconds: purchased &+ reader.signed()) : nil
        }
        func number(_ part: Parts) -> Int32? { parts.contains(part) ? Int32(clamping: reader.signed()) : nil }
        func word(_ part: Parts) -> String? { parts.contains(part) ? reader.word() : nil }
        let (expires, revoked) = (date(.expires), date(.revocation))
        let (revocationReason, revocationType) = (number(.revocationReason), word(.revocationType))
        let (offerType, offer, discount) = (number(.offerType), word(.offer), word(.discount))
        let quantity = number(.quantity)
        if parts.contains(.newToken) { lastToken = reader.uuid() }
        let previousOriginal = word(.previousOriginal)
        let price = parts.contains(.price) ? reader.signed() : nil
        return TransactionFact(
            transactionID: id, originalTransactionID: original, productID: product, type: .init(rawValue: type),
            purchaseDate: Date(milliseconds: purchased), expiresDate: expires, subscriptionGroupIdentifier: group,
            signedDate: Date(milliseconds: signed), revocationDate: revoked,
            revocationReason: revocationReason.map { .init(rawValue: $0) },
            revocationType: revocationType.map { .init(rawValue: $0) }, isUpgraded: parts.contains(.isUpgraded),
            ownership: .init(rawValue: ownership), offerType: offerType.map { .init(rawValue: $0) },
            offerIdentifier: offer, offerDiscountType: discount.map { .init(rawValue: $0) }, quantity: quantity ?? 1,
            reason: reason.map { .init(rawValue: $0) },
            appAccountToken: parts.isDisjoint(with: [.newToken, .sameToken]) ? nil : lastToken,
            appTransactionID: account, previousOriginalTransactionID: previousOriginal, price: price,
            currency: word(.currency), revocationPercentage: number(.revocationPercentage))
    }

    private static func small(_ reader: inout PackedReader) -> Int32 { Int32(clamping: reader.signed()) }

    // MARK: - Renewal infos

    /// - Parameter grace: The last grace period, which the renewal info may no longer name.
    private static func write(_ fact: RenewalFact, _ grace: GracePeriod?, _ writer: inout PackedWriter) {
        writer.word(fact.productID)
        writer.word(fact.autoRenewProductID)
        var flags: UInt8 = fact.willRenew ? 1 : 0
        if fact.isInBillingRetry { flags |= 2 }
        if grace != nil { flags |= 4 }
        writer.append(flags)
        let signed = fact.signedDate.milliseconds
        writer.signed(signed)
        for date in [fact.renewalDate, fact.gracePeriodExpiresDate] {
            writer.append(date == nil ? 0 : 1)
            if let date { writer.signed(date.milliseconds &- signed) }
        }
        for number in [fact.expirationIntent?.rawValue, fact.priceIncreaseStatus?.rawValue, fact.offerType?.rawValue] {
            writer.append(number == nil ? 0 : 1)
            if let number { writer.signed(Int64(number)) }
        }
        writer.word(fact.offerIdentifier)
        writer.number(UInt64(fact.eligibleWinBackOfferIDs.count))
        for offer in fact.eligibleWinBackOfferIDs { writer.word(offer) }
        guard let grace else { return }
        writer.signed(grace.start.milliseconds &- signed)
        writer.signed(grace.end.milliseconds &- signed)
    }

    private static func readRenewal(of original: String, into lineage: inout Lineage, _ reader: inout PackedReader) {
        let products = (reader.word(), reader.word())
        let flags = reader.byte()
        let signed = reader.signed()
        var fact = RenewalFact(
            originalTransactionID: original, productID: products.0, autoRenewProductID: products.1,
            willRenew: flags & 1 != 0, isInBillingRetry: flags & 2 != 0, signedDate: Date(milliseconds: signed))
        if reader.byte() != 0 { fact.renewalDate = Date(milliseconds: signed &+ reader.signed()) }
        if reader.byte() != 0 { fact.gracePeriodExpiresDate = Date(milliseconds: signed &+ reader.signed()) }
        if reader.byte() != 0 { fact.expirationIntent = .init(rawValue: small(&reader)) }
        if reader.byte() != 0 { fact.priceIncreaseStatus = .init(rawValue: small(&reader)) }
        if reader.byte() != 0 { fact.offerType = .init(rawValue: small(&reader)) }
        fact.offerIdentifier = reader.optionalWord()
        let count = reader.count()
        fact.eligibleWinBackOfferIDs = (0..<count).map { _ in reader.word() }
        lineage.renewal = fact
        guard flags & 4 != 0 else { return }
        let (start, end) = (signed &+ reader.signed(), signed &+ reader.signed())
        lineage.gracePeriod = GracePeriod(
            originalTransactionID: original, start: Date(milliseconds: start), end: Date(milliseconds: end))
    }
}
