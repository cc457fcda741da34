internal import AppStoreModels
internal import Basics
internal import ConfigurationReading
internal import Foundation

/// Compares actual values with the expectations of a scenario.
struct Comparison {
    /// Resolves a short name in the file, such as a product name, to an identifier.
    let names: (String) -> String
    var mismatches: [String] = []

    /// Compares the value at `path`; nil means that there is no value.
    mutating func compare(_ actual: JSONValue?, with expected: ConfigurationValue, at path: String) {
        switch (expected.content, actual) {
        case (.nothing, nil), (.nothing, .null?): return
        case (.nothing, let actual?): mismatches.append("\(path): expected none, got \(actual.shown)")
        case (.mapping(let members), .object(let object)?):
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                compare(object[name], with: value, at: path + "." + name)
            }
        case (.list(let items), .array(let array)?) where items.count == array.count:
            for (index, pair) in zip(array, items).enumerated() {
                compare(pair.0, with: pair.1, at: "\(path)[\(index)]")
            }
        case (.text(let text), let actual?) where isEqual(text, actual): return
        default:
            mismatches.append("\(path): expected \(shown(expected)), got \(readable(actual, beside: expected))")
        }
    }

    private func isEqual(_ text: String, _ actual: JSONValue) -> Bool {
        if text == actual.shown || names(text) == actual.shown { return true }
        guard case .integer(let milliseconds) = actual else { return false }
        return InstantText.milliseconds(iso8601: text, acceptsDays: true) == milliseconds
    }

    private func shown(_ expected: ConfigurationValue) -> String {
        switch expected.content {
        case .nothing: "none"
        case .text(let text): text
        case .list(let items): "[" + items.map { shown($0) }.joined(separator: ", ") + "]"
        case .mapping(let members): "{" + members.keys.sorted().joined(separator: ", ") + "}"
        }
    }

    /// Returns the text of a value. An instant is in ISO 8601 if the expectation is, too.
    private func readable(_ actual: JSONValue?, beside expected: ConfigurationValue) -> String {
        guard let actual else { return "none" }
        if case .text(let text) = expected.content, case .integer(let milliseconds) = actual,
            InstantText.milliseconds(iso8601: text, acceptsDays: true) != nil,
            let date = Date(millisecondsSince1970: milliseconds)?.millisecondsSince1970
        {
            return InstantText.shortText(date)
        }
        return actual.shown
    }
}
