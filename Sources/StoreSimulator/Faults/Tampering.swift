internal import Basics
package import Foundation

/// The changes that faults make to signed data.
package struct Tampering: Sendable {
    package var breaksSignature = false
    package var usesWrongChain = false
    package var hasUnknownValues = false
    package var hasExtraFields = false
    package var skew: TimeInterval = 0

    package init(_ effects: [Fault.Effect] = []) {
        breaksSignature = effects.contains(.invalidSignature)
        usesWrongChain = effects.contains(.wrongChain)
        hasUnknownValues = effects.contains(.unknownValues)
        hasExtraFields = effects.contains(.extraFields)
        for case .clockSkew(let seconds) in effects { skew = seconds }
    }

    package var isNone: Bool { !breaksSignature && !usesWrongChain && !changesPayload }
    private var changesPayload: Bool { hasUnknownValues || hasExtraFields || skew != 0 }

    /// Returns the payload with the changes, before it is signed.
    package func payload(_ json: [UInt8]) throws -> [UInt8] {
        guard changesPayload else { return json }
        return try JSONValue.editing(json) { object in
            for key in Self.signingDates where skew != 0 {
                guard case .integer(let date) = object[key] else { continue }
                object[key] = .integer(date.addingReportingOverflow(Int64(skew * 1000)).partialValue)
            }
            if hasExtraFields { object["fieldOfTheFuture"] = .object(["isNew": .bool(true), "list": .array([.null])]) }
            if hasUnknownValues {
                for key in Self.enumerations {
                    switch object[key] {
                    case .string: object[key] = .string("VALUE_OF_THE_FUTURE")
                    case .integer: object[key] = .integer(99)
                    default: break
                    }
                }
            }
        }
    }

    // App transactions have the second one instead of the first.
    private static let signingDates = ["signedDate", "receiptCreationDate"]

    private static let enumerations = [
        "notificationType", "notification_type", "subtype", "type", "inAppOwnershipType", "transactionReason",
        "offerType", "offerDiscountType", "revocationType", "expirationIntent", "priceIncreaseStatus",
        "originalPlatform", "storeType",
    ]
}

extension JSONValue {
    /// Returns JSON text of an object after `edit` has changed its members.
    static func editing(_ json: [UInt8], _ edit: (inout [String: JSONValue]) throws -> Void) throws -> [UInt8] {
        guard case .object(var object) = try JSONValue(json: json) else { return json }
        try edit(&object)
        return Array(try JSONEncoder.sorted.encode(JSONValue.object(object)))
    }
}
