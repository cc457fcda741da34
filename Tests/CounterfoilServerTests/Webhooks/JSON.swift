import Foundation

/// A JSON value with access by key.
struct JSON {
    let value: Any?

    init(_ value: Any?) { self.value = value }

    init(_ data: Data) { value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) }

    subscript(_ key: String) -> JSON { JSON((value as? [String: Any])?[key]) }
    var text: String? { value as? String }
    var number: Double? { value as? Double ?? (value as? Int).map { Double($0) } }
    var flag: Bool? { value as? Bool }
    var items: [JSON] { (value as? [Any])?.map { JSON($0) } ?? [] }
    var keys: Set<String> { Set((value as? [String: Any])?.keys.map { $0 } ?? []) }
}
