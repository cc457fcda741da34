import AppStoreModels
import Foundation
import Testing

@Suite struct `Error codes` {
    @Test(
        arguments: [
            (.invalidTransactionId, 400), (.subscriptionExtensionIneligible, 403), (.transactionIdNotFound, 404),
            (.imageAlreadyExists, 409), (.rateLimitExceeded, 429), (.generalInternalRetryable, 500),
        ] as [(APIErrorCode, Int)])
    func `An error code begins with its HTTP status`(_ code: APIErrorCode, _ status: Int) {
        #expect(code.httpStatus == status)
    }

    @Test func `An unknown error code has an HTTP status, but no name`() throws {
        let payload: ErrorPayload = try decode(#"{"errorCode": 4181234, "errorMessage": "I'm a teapot"}"#)
        #expect(payload.errorCode.httpStatus == 418)
        #expect(payload.errorCode.name == nil)
        #expect(try encode(payload.errorCode) == .integer(4_181_234))
    }

    @Test(arguments: [0, -4_000_006, 400, 999_999, 6_000_000, .max, .min])
    func `A number outside the range of error codes has no HTTP status`(_ number: Int64) {
        #expect(APIErrorCode(rawValue: number).httpStatus == nil)
    }

    @Test func `Every documented error code is listed once and has a name`() {
        let known = APIErrorCode.known
        #expect(known.count == 216)
        #expect(Set(known).count == known.count)
        for code in known {
            #expect(code.name?.isEmpty == false)
            #expect([400, 403, 404, 409, 429, 500].contains(code.httpStatus))
        }
    }

    @Test(
        arguments: [
            (.invalidTransactionId, "InvalidTransactionId"), (.skuLengthExceeded, "SKULengthExceeded"),
            (.invalidRefundPreference, "InvalidRefundPreference"), (.groupNotFound, "GroupNotFound"),
            (.inactiveACASub, "InactiveACASub"),
            // A number with two meanings has the name from the App Store Server API.
            (APIErrorCode(rawValue: 4_000_028), "InvalidStorefrontCountryCode"),
        ] as [(APIErrorCode, String)])
    func `An error code has Apple's name`(_ code: APIErrorCode, _ name: String) {
        #expect(code.name == name)
    }

    @Test func `An error code too large for an integer fails to decode`() {
        #expect(throws: DecodingError.self) { try decode(ErrorPayload.self, #"{"errorCode": 1e30}"#) }
    }
}
