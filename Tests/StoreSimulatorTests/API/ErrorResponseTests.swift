import AppStoreModels
import Testing

@testable import StoreSimulator

@Suite struct `Error responses of the simulator` {
    @Test func `The same error has the same bytes each time`() {
        let failure = APIFailure(.rateLimitExceeded, "Not /now/", retryAfter: 5)
        for _ in 0..<20 {
            let response = SimulatorResponse.failure(failure)
            #expect(response.status == 429 && response.contentType == "application/json")
            #expect(
                String(decoding: response.body, as: UTF8.self) == #"{"errorCode":4290000,"errorMessage":"Not /now/"}"#)
            #expect(response.headers.map { $0.value } == ["5"])
        }
    }

    @Test func `An error without a code has no body`() {
        let response = SimulatorResponse.failure(APIFailure(status: 401, "the token has expired"))
        #expect(response.status == 401 && response.contentType == nil && response.body.isEmpty)
    }
}
