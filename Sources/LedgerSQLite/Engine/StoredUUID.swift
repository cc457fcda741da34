internal import AppStoreModels
internal import Foundation

/// How the identifiers of notifications are stored: sixteen bytes for a UUID as it is usually written, else text.
enum StoredUUID {
    static func value(_ text: String) -> SQLValue {
        guard let uuid = UUID(text: text), uuid.text == text else {
            return .text(text)
        }
        return .blob(uuid.bytes)
    }

    static func text(_ value: SQLValue) -> String {
        switch value {
        case .text(let text): text
        case .blob(let bytes): UUID(bytes: bytes)?.text ?? ""
        case .integer, .real, .null: ""
        }
    }
}
