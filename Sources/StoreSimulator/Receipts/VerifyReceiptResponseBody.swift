internal import AppStoreModels
internal import AppStoreReceipts
package import Foundation

/// The response of `verifyReceipt`, with data of the store. The HTTP status is always 200; the body contains the actual
/// status.
package struct VerifyReceiptResponseBody: Sendable {
    private let object: OrderedJSON

    /// The response as one line of JSON, with the members in Apple's order.
    package var json: String { object.text }

    /// Creates a response. `sign` creates a receipt from its contents.
    package init(_ check: ReceiptCheck, _ update: ReceiptUpdate, sign: (ReceiptContents) throws -> Data) throws {
        switch (update, check.response.object) {
        case (.unknownCustomer, _):
            object = Self(status: .accountNotFound, environment: check.response.environment).object
        case (.latest(let latest), .object(let members)):
            let receipt = try sign(latest.receipt).base64EncodedString()
            object = .object(members + latest.members(receipt: receipt))
        case (_, let unchanged): object = unchanged
        }
    }

    /// Creates a refusal of the store.
    init(status: VerifyReceiptStatus, environment: AppStoreEnvironment? = nil) {
        var members: [OrderedJSON.Member] = [.init("status", .number(Int64(status.rawValue)))]
        if let environment { members.append(.init("environment", .string(environment.rawValue))) }
        object = .object(members)
    }
}
