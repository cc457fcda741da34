package import AppStoreModels
internal import Basics
internal import Foundation

/// Encodes responses as JSON and signs their payloads. Do not use it while the store is locked: signing is slow.
package struct APIRendering {
    /// Returns the signed text of a transaction. There is one closure for each kind of signed payload.
    package var transaction: (JWSTransactionDecodedPayload) throws -> String
    package var renewalInfo: (JWSRenewalInfoDecodedPayload) throws -> String
    package var appTransaction: (AppTransaction) throws -> String
    /// Returns the signed text of the notification with a number.
    package var notification: (Int) throws -> String

    package init(
        transaction: @escaping (JWSTransactionDecodedPayload) throws -> String,
        renewalInfo: @escaping (JWSRenewalInfoDecodedPayload) throws -> String,
        appTransaction: @escaping (AppTransaction) throws -> String, notification: @escaping (Int) throws -> String
    ) {
        self.transaction = transaction
        self.renewalInfo = renewalInfo
        self.appTransaction = appTransaction
        self.notification = notification
    }

    /// Returns the JSON of a response body.
    package func bytes(_ body: APIBody) throws -> [UInt8] {
        // The capacity suffices for one signed text with its three certificates.
        var json = JSONWriter(capacity: 8 * 1024)
        try write(body, to: &json)
        return json.bytes
    }

    private func write(_ body: APIBody, to json: inout JSONWriter) throws {
        switch body {
        case .transaction(let payload): json.string(try transaction(payload))
        case .renewalInfo(let payload): json.string(try renewalInfo(payload))
        case .appTransaction(let payload): json.string(try appTransaction(payload))
        case .notification(let number): json.string(try notification(number))
        case .string(let text): json.string(text)
        case .integer(let number): json.number(number)
        case .bool(let flag): json.bool(flag)
        case .array(let elements): try json.array(elements) { try write($1, to: &$0) }
        case .object(let members):
            try json.object { json in
                for case (let name, let value?) in members {
                    json.key(text: name)
                    try write(value, to: &json)
                }
            }
        case .model(let model):
            json.raw(try JSONEncoder.sorted.encode(model))
        }
    }
}
