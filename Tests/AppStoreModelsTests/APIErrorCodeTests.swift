import AppStoreModels
import Foundation
import Testing

@Suite("Error codes") struct APIErrorCodeTests {
    @Test(
        "begin with the HTTP status",
        arguments: [
            (.invalidTransactionId, 400), (.subscriptionExtensionIneligible, 403), (.transactionIdNotFound, 404),
            (.imageAlreadyExists, 409), (.rateLimitExceeded, 429), (.generalInternalRetryable, 500),
        ] as [(APIErrorCode, Int)])
    func status(_ code: APIErrorCode, _ status: Int) {
        #expect(code.httpStatus == status)
    }

    @Test("tell the status even when unknown")
    func unknown() throws {
        let payload: ErrorPayload = try decode(#"{"errorCode": 4181234, "errorMessage": "I'm a teapot"}"#)
        #expect(payload.errorCode.httpStatus == 418)
        #expect(payload.errorCode.name == nil)
        #expect(try encode(payload.errorCode) == .integer(4_181_234))
    }

    @Test("that are no such number have no status", arguments: [0, -4_000_006, 400, 999_999, 6_000_000, .max, .min])
    func noStatus(_ number: Int64) {
        #expect(APIErrorCode(rawValue: number).httpStatus == nil)
    }

    @Test("of the documentation are all there, once, with a name")
    func complete() {
        let known = APIErrorCode.known
        #expect(known.count == 216)
        #expect(Set(known).count == known.count)
        for code in known {
            #expect(code.name?.isEmpty == false)
            #expect([400, 403, 404, 409, 429, 500].contains(code.httpStatus))
        }
    }

    @Test(
        "carry Apple's names",
        arguments: [
            (.invalidTransactionId, "InvalidTransactionId"), (.skuLengthExceeded, "SKULengthExceeded"),
            (.invalidRefundPreference, "InvalidRefundPreference"), (.groupNotFound, "GroupNotFound"),
            (.inactiveACASub, "InactiveACASub"),
            // Shared numbers go by the name of the App Store Server API.
            (APIErrorCode(rawValue: 4_000_028), "InvalidStorefrontCountryCode"),
        ] as [(APIErrorCode, String)])
    func name(_ code: APIErrorCode, _ name: String) {
        #expect(code.name == name)
    }

    @Test("too large for a number are errors")
    func tooLarge() {
        #expect(throws: DecodingError.self) { try decode(ErrorPayload.self, #"{"errorCode": 1e30}"#) }
    }
}
