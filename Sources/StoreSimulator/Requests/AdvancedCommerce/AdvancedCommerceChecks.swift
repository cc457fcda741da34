package import AppStoreModels
internal import Basics

/// Checks the requests of the Advanced Commerce API: the bodies of its six endpoints, and the signed requests of apps.
///
/// There is one method for each request. It returns the request as a model, or throws the code that Apple documents for
/// the first rule that is broken. The code is 4000173 if Apple lists no code for the rule at that endpoint, or if the
/// request cannot be parsed.
///
/// These methods check only the request itself. The caller has to check the following against the state of the store:
/// - any request: 4000097 (`requestReferenceId` used before), 4000082 (a consistency token that the store never
///   issued), 4000133, 4000134, 4000135, 4030008, 4030010, 4030013, 4040010.
/// - A2: 4000121, 4030015, 4030023, 4040016. A3: 4000121, 4000205, 4000220, 4000221 and 4000053 for another currency
///   than the subscription's. A4: 4000121, 4000176, 4000179, 4000180, 4030009, 4030015, 4030022, 4030023, 4030027,
///   4040016, and 4000167 for a product of the app that is not a generic subscription.
/// - A5: 4000168, 4000181, 4000182, 4030020, 4030021, 4030024, 4030025. A6: 4000181, 4000186, 4030020, 4030021,
///   4030024.
/// - in the app: 4000096 and 4000113 (an unsuitable previous transaction), 4000114, 4000145, 4000146, 4000147,
///   4000168, 4000177, 4000178, 4000214, 4030009 to 4030011; 4000171 and 4000174 before the request can be checked.
///
/// Some codes are never thrown: 4000100, because `storefront` is optional everywhere; 4000136, 4000137 and 4000179,
/// because their limits are not documented; 4000116, 4000117 and 4000131, because their meaning is not documented.
package struct AdvancedCommerceChecks: Sendable {
    /// Whether the environment is the sandbox. Only there can requests simulate declined refunds.
    let isSandbox: Bool

    package init(environment: AppStoreEnvironment) { isSandbox = environment != .production }

    /// Returns the `transactionId` in the path of the endpoints. Throws unless it is 1 to 32 digits.
    package static func transactionID(_ text: String) throws(APIFailure) -> String {
        guard isTransactionID(text) else {
            throw APIFailure(.invalidTransactionId, "The transactionId is not a number.")
        }
        return text
    }

    static func isTransactionID(_ text: String) -> Bool { text.isDigits(upTo: 32) }

    /// Checks the fields that all requests have and runs the checks of one, then decodes it. `operation` is that of a
    /// request of an app. Replaces codes that are not in `documented` with 4000173.
    static func check<Request: Decodable>(
        _ bytes: [UInt8], _ documented: Set<APIErrorCode>, _ operation: AdvancedCommerceOperation? = nil,
        _ checks: (RequestBody) throws(APIFailure) -> Void
    ) throws(APIFailure) -> Request {
        do throws(APIFailure) {
            let body = try RequestBody(bytes)
            if let operation { try checkStart(body, operation) }
            try checkCommon(body)
            try checks(body)
            return try RequestBody.decode(Request.self, from: bytes)
        } catch {
            guard let code = error.code, documented.contains(code) else {
                throw APIFailure(.malformedPayload, error.message)
            }
            throw error
        }
    }

    private static func checkCommon(_ body: RequestBody) throws(APIFailure) {
        let info = try body.object("requestInfo", missing: .nullRequestInfo, or: .malformedPayload)
        _ = try info.uuid("requestReferenceId", missing: .nullRequestReferenceID, or: .invalidRequestReferenceID)
        _ = try info.uuidIfPresent("appAccountToken", emptyIsNone: true, or: .invalidAppAccountToken)
        if try info.stringIfPresent("consistencyToken", or: .invalidConsistencyToken) == "" {
            throw info.failure(.invalidConsistencyToken, "consistencyToken", "is empty")
        }
        if let storefront = try body.stringIfPresent("storefront", or: .invalidStorefrontCountryCode) {
            guard storefront.isThreeLetterCode else {
                throw body.failure(.invalidStorefrontCountryCode, "storefront", "is not an ISO 3166-1 alpha-3 code")
            }
        }
    }

    static func checkCurrency(_ body: RequestBody, isRequired: Bool) throws(APIFailure) {
        guard let currency = try body.stringIfPresent("currency", or: .invalidCurrency) else {
            guard !isRequired else { throw body.failure(.nullCurrency, "currency", "is missing") }
            return
        }
        guard currency.isThreeLetterCode else {
            throw body.failure(.invalidCurrency, "currency", "is not an ISO 4217 alpha-3 code")
        }
    }

    // Checks only the form of a tax code such as `C003-00-2`; the list of valid codes is not public.
    static func checkTaxCode(_ body: RequestBody, isRequired: Bool) throws(APIFailure) {
        guard let taxCode = try body.stringIfPresent("taxCode", or: .invalidTaxProductCode) else {
            guard !isRequired else { throw body.failure(.nullTaxCode, "taxCode", "is missing") }
            return
        }
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-".utf8)
        guard (1...32).contains(taxCode.utf8.count), taxCode.utf8.allSatisfy(allowed.contains) else {
            throw body.failure(.invalidTaxProductCode, "taxCode", "is not a tax code such as C003-00-2")
        }
    }
}
