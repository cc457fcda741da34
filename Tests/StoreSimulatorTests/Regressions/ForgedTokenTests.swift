import AppStoreModels
import AppStoreServer
import Foundation
import Testing

@testable import StoreSimulator

@Suite struct `Forged page tokens` {
    /// The digest of a token has no key, so a client can forge a token with any time. The token's age overflowed.
    @Test(arguments: [Int64.min, -1, 0, .max])
    func `A forged page token with extreme numbers is handled without overflow`(_ number: Int64) throws {
        var shop = APIShop()
        try shop.perform(.requestTestNotification)
        let body = JSONFields.notifications(from: shop.now - 1, to: shop.now + 1).text
        let query = try NotificationQuery(RequestBody(Array(body.utf8)), at: shop.now, lastSigned: nil)
        // With one notification, the valid positions are 0 and 1.
        let cases: [(token: PageToken, code: APIErrorCode?)] = [
            (PageToken(position: 0, made: number), number == .max ? nil : .paginationTokenExpired),
            (
                PageToken(position: number, minor: number, made: number),
                number == 0 ? .paginationTokenExpired : .invalidPaginationToken
            ),
        ]
        for (token, expected) in cases {
            let text = token.text(boundTo: shop.store.binding(query))
            let code = try Self.code {
                try shop.send(
                    APIShop.request(.notificationHistory, query: "paginationToken=\(text)", body: body))
            }
            #expect(code == expected)
        }
    }

    private static func code(_ body: () throws -> APIResponse) throws -> APIErrorCode? {
        do { _ = try body() } catch let failure as APIFailure { return failure.code }
        return nil
    }
}
