internal import AppStoreModels
internal import Foundation

/// How notification identifiers are stored: a UUID in its usual spelling as 16 bytes, anything else as text.
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
