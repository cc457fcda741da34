import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite struct `A performance test that is refused` {
    /// It had taken an identifier, so that what came next had other ones than without it.
    @Test(arguments: ["{}", "{\"originalTransactionId\":\"1\"}", "[]", ""])
    func `changes nothing`(_ body: String) throws {
        var shop = APIShop(.sandbox)
        try shop.buy("plus")
        let before = try shop.store.bytes
        #expect(throws: APIFailure.self) { try shop.send(APIShop.request(.startPerformanceTest, body: body)) }
        #expect(try shop.store.bytes == before)
    }
}
