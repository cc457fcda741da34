import AppStoreModels
import AppStoreServer
import Foundation
import Testing

@testable import StoreSimulator

@Suite struct `Tokens of pages that nobody was given` {
    /// The digest in a token has no key: anybody can make one of any time, and the distance to that overflowed.
    @Test(arguments: [Int64.min, -1, 0, .max])
    func `with the most absurd numbers are refused, or hold`(_ number: Int64) throws {
        var shop = APIShop()
        try shop.perform(.requestTestNotification)
        let body = JSONFields.notifications(from: shop.now - 1, to: shop.now + 1).text
        let query = try NotificationQuery(RequestBody(Array(body.utf8)), at: shop.now, lastSigned: nil)
        // One notification, so that there are the positions 0 and 1.
        let cases: [(token: PageToken, code: APIErrorCode?)] = [
            (PageToken(position: 0, made: number), number == .max ? nil : .paginationTokenExpired),
            (
                PageToken(position: number, minor: number, made: number),
                number == 0 ? .paginationTokenExpired : .invalidPaginationToken
            ),
        ]
        for (token, expected) in cases {
            let text = token.text(boundTo: query.canonical)
            let code = try Self.code {
                try shop.send(
                    APIShop.request(.notificationHistory, query: "paginationToken=\(text)", body: body))
            }
            #expect(code == expected)
        }
    }

    private static func code(_ body: () throws -> APIAnswer) throws -> APIErrorCode? {
        do { _ = try body() } catch let failure as APIFailure { return failure.code }
        return nil
    }
}
