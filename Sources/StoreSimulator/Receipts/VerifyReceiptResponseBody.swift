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
            object = VerifyReceiptResponse(status: .accountNotFound, environment: check.response.environment).object
        case (.latest(let latest), .object(let members)):
            let receipt = try sign(latest.receipt).base64EncodedString()
            object = .object(members + latest.members(receipt: receipt))
        case (_, let unchanged): object = unchanged
        }
    }
}
