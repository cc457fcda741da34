internal import AppStoreModels
internal import Foundation
internal import GRDB

/// How notification identifiers are stored: a UUID in its usual spelling as 16 bytes, anything else as text.
enum StoredUUID {
    static func value(_ text: String) -> SQLValue {
        guard let uuid = UUID(text: text), uuid.text == text else { return .text(text) }
        return .blob(uuid.bytes)
    }

    /// Returns the identifier of the notification with a row identifier.
    static func ofNotification(_ id: Int64, _ db: Database) throws -> String? {
        try db.first("SELECT uuid FROM notifications WHERE id = ?", [.integer(id)]) { text($0.value(0)) }
    }

    static func text(_ value: SQLValue) -> String {
        switch value {
        case .text(let text): text
        case .blob(let bytes): UUID(bytes: bytes)?.text ?? ""
        case .integer, .real, .null: ""
        }
    }
}
