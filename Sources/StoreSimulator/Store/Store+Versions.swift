internal import AppStoreModels
internal import Foundation

/// The version and date of an account's first download of the app, for which nil stands for the current ones, and when
/// the account ordered the app before its release.
struct FirstDownload: Sendable {
    var version: String?
    var date: Date?
    var preorderDate: Date?
}

extension FirstDownload {
    init(version: String?, date: Date?, preorderDate: Date?, at now: Date) throws(StoreError) {
        if let version { try Self.check(version) }
        self.version = version
        if let date { self.date = try Self.instant(date, until: now, "firstPurchaseDate", "now") }
        if let preorderDate {
            self.preorderDate = try Self.instant(
                preorderDate, until: self.date ?? now, "preorderDate", "the first download")
        }
    }

    private static func instant(
        _ date: Date, until end: Date, _ name: String, _ endName: String
    ) throws(StoreError) -> Date {
        // The App Store signs whole milliseconds.
        guard let instant = date.millisecondsSince1970.flatMap(Date.init(millisecondsSince1970:)),
            instant >= first, instant <= end
        else {
            throw StoreError(.invalidArgument, "\(name) is between the App Store's opening in 2008 and \(endName)")
        }
        return instant
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

    // In the sandbox, every app transaction and receipt has the same original version and date, and no other date.

    /// Returns the original app version that the App Store reports for a customer.
    func firstVersion(of customer: Customer) -> String { isSandbox ? "1.0" : customer.firstVersion ?? app.version }

    /// Returns the original purchase date of the app that the App Store reports for a customer.
    func firstPurchaseDate(of customer: Customer) -> Date {
        isSandbox ? Date(timeIntervalSince1970: 1_375_340_400) : customer.since
    }

    /// Returns the date of the pre-order that the App Store reports for a customer.
    func preorderDate(of customer: Customer) -> Date? { isSandbox ? nil : customer.preorderDate }
}
