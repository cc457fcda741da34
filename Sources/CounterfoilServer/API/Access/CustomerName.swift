internal import AppStoreModels
internal import Foundation
internal import Ledger

/// Rules for customer identifiers: 1 to 255 bytes without control characters, in Unicode Normalization Form C, but not
/// `.` and `..`.
///
/// Identifiers are compared byte by byte. In Form C, canonically equivalent identifiers have the same bytes, so that no
/// customer can have an identifier that looks like another's.
enum CustomerName {
    static func isValid(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= 255 else { return false }
        if name.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return true }
        return name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Whether a name is in Normalization Form C.
    static func isNFC(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 < 0x80 } || name.precomposedStringWithCanonicalMapping.isExactly(name)
    }

    /// Whether a name is `.` or `..`. Clients and proxies resolve these in a path, also if they are percent-encoded, and
    /// would send a request about such a customer to another path.
    static func isDotSegment(_ name: String) -> Bool { name == "." || name == ".." }

    static let formRefusal = "A customer identifier has 1 to 255 bytes, without control characters."
    static let dotSegmentRefusal =
        "A customer identifier cannot be . or .., because clients resolve these two in a path."

    /// Returns the customer identifier of a request in the form that the ledger uses. Throws 400 for the stand-in of an
    /// erased customer: otherwise somebody could obtain the erased customer's purchases.
    static func validated(_ name: String?, parameter: String) throws(APIFailure) -> String {
        func failure(_ message: String) -> APIFailure {
            APIFailure("invalid_customer", message, parameter: parameter)
        }
        // Mostly a UUID, which meets all rules.
        if let uuid = name.flatMap({ UUID(text: $0) }) { return uuid.text }
        guard let name, isValid(name) else { throw failure(formRefusal) }
        guard isNFC(name) else {
            throw failure("This customer identifier is not in Unicode Normalization Form C (NFC).")
        }
        guard !isDotSegment(name) else { throw failure(dotSegmentRefusal) }
        guard !Erasure.isStandIn(name) else { throw failure("This identifier belongs to an erased customer.") }
        return name
    }

    /// Lowercases a UUID: the App Store writes account tokens in either case.
    static func canonical(_ name: String) -> String { UUID(text: name)?.text ?? name }
}
