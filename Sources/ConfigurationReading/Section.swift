/// A mapping of a configuration file while it is read. It remembers which keys were asked for; the rest are unknown.
///
/// Each reader says what is wrong with a value and then gives nil, so that reading goes on and finds the other problems.
package struct Section {
    package let path: String
    package let findings: Findings
    private let values: [String: ConfigurationValue]
    private var known: Set<String> = []

    /// The mapping at `path`; nil, and a problem, if it is something else.
    package init?(_ value: ConfigurationValue, path: String, findings: Findings) {
        findings.locate(path, line: value.line)
        guard case .mapping(let values) = value.content else {
            findings.problem(path, "is \(value.kind) and should be a mapping", line: value.line)
            return nil
        }
        self.path = path
        self.findings = findings
        self.values = values
    }

    /// The path of a key.
    package func path(_ key: String) -> String {
        let name =
            key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && key.utf8.count <= 60 ? key : quoted(key)
        return path.isEmpty ? name : "\(path).\(name)"
    }

    /// All keys, in order.
    package var keys: [String] { values.keys.sorted() }

    /// Whether the key is there, with a value.
    package mutating func has(_ key: String) -> Bool { value(key) != nil }

    /// Adds a problem at a key.
    package func problem(_ key: String, _ message: String) {
        findings.problem(path(key), message, line: values[key]?.line)
    }

    /// The value of a key, unless it is null.
    package mutating func value(_ key: String) -> ConfigurationValue? {
        known.insert(key)
        guard let value = values[key] else { return nil }
        findings.locate(path(key), line: value.line)
        if case .nothing = value.content { return nil }
        return value
    }

    /// A text, or any other value that is one word.
    package mutating func text(_ key: String) -> String? {
        guard let value = value(key) else { return nil }
        guard case .text(let text) = value.content else {
            problem(key, "is \(value.kind) and should be text")
            return nil
        }
        return text
    }

    /// A text that has to be there.
    package mutating func requiredText(_ key: String) -> String? {
        if !has(key) { problem(key, "is missing") }
        return text(key)
    }

    package mutating func flag(_ key: String) -> Bool? {
        guard let text = text(key) else { return nil }
        switch text {
        case "true": return true
        case "false": return false
        default:
            problem(key, "\(quoted(text)) is neither true nor false")
            return nil
        }
    }

    package mutating func number(_ key: String) -> Int? {
        guard let text = text(key) else { return nil }
        guard let number = Int(text) else {
            problem(key, "\(quoted(text)) is not a whole number")
            return nil
        }
        return number
    }

    /// A word of a vocabulary.
    package mutating func word<Value>(_ key: String, of vocabulary: Vocabulary<Value>) -> Value? {
        guard let text = text(key) else { return nil }
        guard let value = vocabulary.value(of: text) else {
            problem(key, "\(quoted(text)) is none of \(vocabulary.words.joined(separator: ", "))")
            return nil
        }
        return value
    }

    /// A list of words of a vocabulary.
    package mutating func words<Value>(_ key: String, of vocabulary: Vocabulary<Value>) -> [Value] {
        list(key).compactMap { item in
            guard case .text(let text) = item.value.content, let value = vocabulary.value(of: text) else {
                findings.problem(
                    item.path, "is none of \(vocabulary.words.joined(separator: ", "))", line: item.value.line)
                return nil
            }
            return value
        }
    }

    /// The elements of a list and their paths.
    package mutating func list(_ key: String) -> [(value: ConfigurationValue, path: String)] {
        guard let value = value(key) else { return [] }
        guard case .list(let items) = value.content else {
            problem(key, "is \(value.kind) and should be a list")
            return []
        }
        let path = path(key)
        return items.enumerated().map { ($1, "\(path)[\($0)]") }
    }

    /// The mappings of a list.
    package mutating func sections(_ key: String) -> [Section] {
        list(key).compactMap { Section($0.value, path: $0.path, findings: findings) }
    }

    /// A mapping within this one.
    package mutating func section(_ key: String) -> Section? {
        value(key).flatMap { Section($0, path: path(key), findings: findings) }
    }

    /// Says that these keys are understood and of no use here.
    package mutating func ignore(_ keys: String...) { known.formUnion(keys) }

    /// Has to be the last call: reports the keys that nobody asked for.
    package func finish() {
        for key in keys where !known.contains(key) {
            switch findings.unknownKeys {
            case .areProblems:
                let suggestion = findings.isFull ? "" : Spelling.suggestion(for: key, among: known)
                problem(key, "is not a key of this format" + suggestion)
            case .areNotes: findings.note("\(path(key)): not understood")
            }
        }
    }
}
