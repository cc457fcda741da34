internal import AppStoreModels
internal import Basics
internal import Foundation
internal import Ledger

/// The body of a request to extend a renewal date.
struct ExtensionBody: JSONRequestBody {
    var days: Int32
    var reason: String
    var requestIdentifier: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case days, reason
        case requestIdentifier = "request_identifier"
    }

    private static let reasons: [String: ExtendReasonCode] = [
        "undeclared": .undeclared, "customer_satisfaction": .customerSatisfaction, "other": .other,
        "service_issue": .serviceIssueOrOutage,
    ]

    /// The extension in a sentence, for the audit log.
    var summary: String { "\(days) \(days.noun("day")) more, \(reason)" }

    var checkedDays: Int32 {
        get throws(APIFailure) {
            guard (1...90).contains(days) else {
                throw APIFailure("invalid_days", "`days` is 1 to 90.", parameter: "days")
            }
            return days
        }
    }

    var code: ExtendReasonCode {
        get throws(APIFailure) {
            guard let code = Self.reasons[reason] else {
                throw APIFailure("invalid_reason", reason, of: "reason", isNoneOf: Self.reasons.keys.sorted())
            }
            return code
        }
    }

    /// Returns the identifier by which the App Store recognizes a repeated request. If the body names none, it is
    /// derived from the idempotency key, so that a retry requests the same extension and not a second one.
    ///
    /// - Parameter subject: What is extended: an original transaction or a product.
    func identifier(
        isUUID: Bool, of call: APICall, about subject: String, in appEnvironment: AppEnvironment
    ) throws(APIFailure) -> String {
        guard let text = requestIdentifier else {
            return (call.idempotentIdentifier("extension", in: appEnvironment, [subject]) ?? UUID()).text
        }
        let isValid = isUUID ? UUID(text: text) != nil : (1...128).contains(text.utf8.count)
        guard isValid, text.isVisibleASCII else {
            throw APIFailure(
                "invalid_identifier",
                isUUID
                    ? "`request_identifier` is a UUID." : "`request_identifier` has 1 to 128 visible ASCII characters.",
                parameter: "request_identifier")
        }
        return text
    }
}

/// The body of a request to extend the renewal dates of all subscribers of a product.
struct MassExtensionBody: JSONRequestBody {
    var productID: String
    var storefronts: [String]?
    var extensionBody: ExtensionBody

    enum CodingKeys: String, CodingKey, CaseIterable {
        case storefronts
        case productID = "product_id"
    }

    static let members = CodingKeys.allCases.map(\.rawValue) + ExtensionBody.members

    /// The extension in a sentence, for the audit log.
    var summary: String {
        let places = storefronts.map { " in " + $0.joined(separator: ", ") } ?? ""
        return "\(extensionBody.summary): \(productID.prefix(255))\(places)"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        productID = try container.decode(String.self, forKey: .productID)
        storefronts = try container.decodeIfPresent([String].self, forKey: .storefronts)
        extensionBody = try ExtensionBody(from: decoder)
    }
}
