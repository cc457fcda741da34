package import AppStoreModels
package import AppStoreReceipts
package import Foundation

/// The response of `verifyReceipt`, with data of the store. The HTTP status is always 200; the body contains the actual
/// status.
package struct VerifyReceiptResponseBody: Sendable {
    package let status: VerifyReceiptStatus
    private let object: OrderedJSON

    /// The response as one line of JSON, with the members in Apple's order.
    package var json: String { object.text }

    /// Creates a response. `sign` creates a receipt from its contents.
    package init(
        _ check: ReceiptCheck, _ update: ReceiptUpdate, sign: (ReceiptContents) throws -> Data
    ) throws {
        if case .unknownCustomer = update {
            self.init(status: .accountNotFound, environment: check.response.environment)
            return
        }
        var object = check.response.object
        if case .latest(let latest) = update, case .object(let members) = object {
            let receipt = try sign(latest.receipt).base64EncodedString()
            object = .object(members + latest.members(receipt: receipt))
        }
        self.init(status: check.response.status, object: object)
    }

    private init(status: VerifyReceiptStatus, object: OrderedJSON) {
        self.status = status
        self.object = object
    }

    /// Creates a refusal of the store. `isRetryable` is used only for 21100 to 21199, which occur only as injected
    /// faults.
    package init(status: VerifyReceiptStatus, environment: AppStoreEnvironment? = nil, isRetryable: Bool = false) {
        var members: [OrderedJSON.Member] = [.init("status", .number(Int64(status.rawValue)))]
        if let environment { members.append(.init("environment", .string(environment.rawValue))) }
        // The member name has a hyphen, although one page of Apple's documentation says otherwise.
        if (21100...21199).contains(status.rawValue) { members.append(.init("is-retryable", .bool(isRetryable))) }
        self.init(status: status, object: .object(members))
    }
}
