package import AppStoreReceipts
package import Foundation

/// The answer of `verifyReceipt`, with what the store knows. Goes out with HTTP status 200, whatever its own status is.
package struct VerifyReceiptAnswer: Sendable {
    package let status: VerifyReceiptStatus
    private let object: OrderedJSON

    /// The answer as one line of JSON, its members in Apple's order.
    package var json: String { object.text }

    /// Puts an answer together. `sign` makes a receipt of its contents.
    package init(
        _ check: ReceiptCheck, _ update: ReceiptUpdate, sign: (ReceiptContents) throws -> Data
    ) throws {
        if case .unknown = update.account {
            self.init(status: .accountNotFound, environment: check.response.environment)
            return
        }
        var object = check.response.object
        if case .known(let latest?) = update.account, case .object(let members) = object {
            let receipt = try sign(latest.receipt).base64EncodedString()
            object = .object(
                members + [
                    .init("latest_receipt_info", latest.transactions), .init("latest_receipt", .string(receipt)),
                    .init("pending_renewal_info", latest.renewals),
                ])
        }
        self.init(status: check.response.status, object: object)
    }

    private init(status: VerifyReceiptStatus, object: OrderedJSON) {
        self.status = status
        self.object = object
    }

    /// A refusal of the store's own. `isRetryable` is for 21100 to 21199 alone, which nothing but an injected fault gives.
    package init(status: VerifyReceiptStatus, environment: ReceiptEnvironment? = nil, isRetryable: Bool = false) {
        var members: [OrderedJSON.Member] = [.init("status", .number(Int64(status.rawValue)))]
        if let environment { members.append(.init("environment", .string(environment.rawValue))) }
        // With a hyphen on the wire, whatever one page of the documentation says.
        if (21100...21199).contains(status.rawValue) { members.append(.init("is-retryable", .bool(isRetryable))) }
        self.init(status: status, object: .object(members))
    }
}

extension VerifyReceiptStatus {
    /// The account is not there, or was deleted.
    package static let accountNotFound = Self(rawValue: 21010)
}
