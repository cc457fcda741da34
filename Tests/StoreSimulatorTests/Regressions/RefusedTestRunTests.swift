import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite struct `Refused performance tests` {
    /// A refused request used up an identifier, which changed all later identifiers.
    @Test(arguments: ["{}", "{\"originalTransactionId\":\"1\"}", "[]", ""])
    func `A refused performance test does not change the store`(_ body: String) throws {
        var shop = APIShop(.sandbox)
        try shop.buy("plus")
        let before = try shop.store.bytes
        let failure = #expect(throws: APIFailure.self) {
            try shop.send(APIShop.request(.startPerformanceTest, body: body))
        }
        #expect(failure?.status == 400)
        #expect(try shop.store.bytes == before)
    }
}
