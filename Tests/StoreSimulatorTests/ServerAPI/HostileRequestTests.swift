import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Hostile requests to the App Store Server API` {
    @Test(arguments: AppStoreEndpoint.server)
    func `A mutated request to any endpoint gets a response or a 4xx failure with a code documented for the endpoint`(
        _ endpoint: AppStoreEndpoint
    ) async throws {
        let documented = try #require(DocumentedCodeTests.documented[endpoint.name])
        var random = SeededGenerator(seed: UInt64(endpoint.name.utf8.count))
        var shop = APIShop(endpoint.environment ?? .production)
        let id = try shop.buy("plus")
        let bodies = [JSONFields.consumption, .consumptionV1, .extending, .extendingAll, .token].map(\.text)
        let history = JSONFields.notifications(from: shop.now - 1, to: shop.now + 1).text
        let queries = [
            "revision=AAAA&startDate=1&endDate=2", "status=1&limit=5&paginationToken=AA", "sort=ASCENDING&%",
        ]
        var refused = 0
        for await _ in Yielding(0..<300) {
            let values = endpoint.parameters.map { _ in Bool.random(using: &random) ? id : Self.text(id, &random) }
            let query = Self.text(queries.randomElement(using: &random) ?? "", &random)
            let body = Self.text((bodies + [history]).randomElement(using: &random) ?? "", &random)
            do {
                let answer = try shop.send(APIShop.request(endpoint, values, query: query, body: body))
                if let body = answer.body { _ = try APIShop.rendering.bytes(body) }
            } catch let failure as APIFailure {
                #expect((400..<500).contains(failure.status))
                if let code = failure.code { #expect(documented.contains(code.rawValue)) }
                refused += 1
            }
        }
        let hasNoInput =
            endpoint.parameters.isEmpty && endpoint.queryParameters.isEmpty && endpoint.contentType == nil
        #expect((refused == 0) == hasNoInput)
    }

    /// Returns the text, mutated three times out of four.
    private static func text(_ text: String, _ random: inout SeededGenerator) -> String {
        guard Int.random(in: 0..<4, using: &random) > 0 else { return text }
        return String(decoding: random.mutated(Array(text.utf8)), as: UTF8.self)
    }
}
