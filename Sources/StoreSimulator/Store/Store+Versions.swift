internal import AppStoreModels
internal import Foundation

/// The version and date of an account's first download of the app; nil stands for the current version or date.
struct FirstDownload: Sendable {
    var version: String?
    var date: Date?
}

extension FirstDownload {
    /// - Parameter date: In milliseconds since 1970.
    init(version: String?, date: Int64?, at now: Date) throws(StoreError) {
        if let version { try Self.check(version) }
        self.version = version
        guard let date else { return }
        guard let instant = Date(millisecondsSince1970: date), (Self.first...now).contains(instant) else {
            throw StoreError(
                .invalidArgument,
                "firstPurchaseDate is in milliseconds, between the App Store's opening in 2008 and now")
        }
        self.date = instant
    }

    /// The App Store opened on 10 July 2008.
    private static let first = Date(timeIntervalSince1970: 1_215_648_000)

    static func check(_ version: String) throws(StoreError) {
        guard (1...64).contains(version.utf8.count), version.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
            throw StoreError(.invalidArgument, "a version must have 1 to 64 ASCII characters without spaces")
        }
    }
}

extension Store {
    mutating func release(_ version: String) throws(StoreError) -> Subject {
        try FirstDownload.check(version)
        releasedVersion = version
        return Subject()
    }

    // In the sandbox, every app transaction and receipt has the same original version and date.

    /// Returns the original app version that the App Store reports for a customer.
    func firstVersion(of customer: Customer) -> String { isSandbox ? "1.0" : customer.firstVersion ?? app.version }

    /// Returns the original purchase date of the app that the App Store reports for a customer.
    func firstPurchaseDate(of customer: Customer) -> Date {
        isSandbox ? Date(timeIntervalSince1970: 1_375_340_400) : customer.since
    }
}
