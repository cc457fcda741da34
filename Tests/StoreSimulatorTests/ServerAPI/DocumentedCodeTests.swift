import AppStoreModels
import AppStoreServer
import Testing

@Suite("Documented error codes of the App Store Server API")
struct DocumentedCodeTests {
    /// The codes on Apple's page of each endpoint, except those that every endpoint has: 4290000, 5000000 and 5000001.
    static let documented: [String: Set<Int64>] = [
        AppStoreEndpoint.transactionHistory.name: history,
        AppStoreEndpoint.transactionHistoryV1.name: history,
        AppStoreEndpoint.subscriptionStatuses.name: codes(
            4_040_001...4_040_004, 4_000_002, 4_000_006, 4_000_031, 4_040_010),
        AppStoreEndpoint.transaction.name: [4_000_006, 4_000_048, 4_040_010],
        AppStoreEndpoint.appTransaction.name: [4_000_006, 4_040_010, 4_040_019],
        AppStoreEndpoint.finishTransaction.name: [4_000_006, 4_000_048, 4_040_010],
        AppStoreEndpoint.setAppAccountToken.name: [
            4_000_006, 4_000_048, 4_000_183, 4_000_185, 4_000_187, 4_000_227, 4_040_005,
        ],
        AppStoreEndpoint.sendConsumption.name: [
            4_000_006, 4_000_035, 4_000_036, 4_000_041, 4_000_044, 4_000_048, 4_000_185, 4_000_209, 4_000_227,
            4_040_010,
        ],
        AppStoreEndpoint.sendConsumptionV1.name: codes(
            4_000_032...4_000_042, 4_000_044, 4_000_047, 4_000_227, 4_040_010),
        AppStoreEndpoint.order.name: [4_000_000],
        AppStoreEndpoint.refundHistory.name: [4_000_005, 4_000_006, 4_040_010],
        AppStoreEndpoint.refundHistoryV1.name: [4_000_008, 4_040_005],
        AppStoreEndpoint.extendRenewalDate.name: codes(
            4_000_008...4_000_011, 4_030_004, 4_030_005, 4_030_007, 4_030_028, 4_040_005),
        AppStoreEndpoint.extendRenewalDates.name: codes(
            4_000_009...4_000_011, 4_000_023, 4_000_027, 4_000_028, 4_030_004, 4_030_005, 4_040_009),
        AppStoreEndpoint.renewalExtensionStatus.name: [4_000_011, 4_000_023, 4_040_009],
        AppStoreEndpoint.requestTestNotification.name: [4_040_007],
        AppStoreEndpoint.testNotification.name: [4_000_020, 4_040_008],
        AppStoreEndpoint.notificationHistory.name: codes(
            4_000_012...4_000_019, 4_000_006, 4_040_001, 4_040_010),
        AppStoreEndpoint.customerGroups.name: [4_000_006, 4_040_010],
        AppStoreEndpoint.groupMembers.name: [4_000_004, 4_000_014, 4_000_225, 4_040_022],
    ]

    private static let history = codes(
        4_000_021...4_000_026, 4_000_002, 4_000_005, 4_000_006, 4_000_015, 4_000_016, 4_000_030, 4_040_001, 4_040_002,
        4_040_003, 4_040_004, 4_040_010)

    private static func codes(_ range: ClosedRange<Int64>, _ others: Int64...) -> Set<Int64> {
        Set(range).union(others)
    }

    /// The codes that only a fault causes: the simulated store sells one app, never deletes an account and never
    /// refuses a mass extension as a whole, and each of its customers has an app transaction.
    private static let injected: [String: Set<Int64>] = [
        AppStoreEndpoint.transactionHistory.name: noAppOrAccount,
        AppStoreEndpoint.transactionHistoryV1.name: noAppOrAccount,
        AppStoreEndpoint.subscriptionStatuses.name: noAppOrAccount,
        AppStoreEndpoint.appTransaction.name: [4_040_019],
        AppStoreEndpoint.extendRenewalDates.name: [4_030_004, 4_030_005, 4_040_009],
        AppStoreEndpoint.notificationHistory.name: [4_040_001],
    ]

    private static let noAppOrAccount = codes(4_040_001...4_040_004, 4_000_002)

    @Test(arguments: AppStoreEndpoint.server)
    func `An endpoint refuses requests with each code that is documented for it, and with no other`(
        _ endpoint: AppStoreEndpoint
    ) throws {
        let documented = try #require(Self.documented[endpoint.name])
        let refused = APIRefusalTests.all.filter { $0.endpoint.name == endpoint.name }.compactMap { $0.code?.rawValue }
        #expect(Set(refused).union(Self.injected[endpoint.name] ?? []) == documented)
    }

    @Test func `Every documented code is a known one`() {
        let codes = Set(Self.documented.values.joined())
        #expect(codes.count > 60)
        #expect(codes.subtracting(APIErrorCode.known.map(\.rawValue)).sorted() == [])
    }
}
