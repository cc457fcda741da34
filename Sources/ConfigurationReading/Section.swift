/// A mapping of a configuration file that is being read. It records the keys that were read; all others are unknown.
///
/// If a value is invalid, each reading method adds a problem and returns nil, so that reading continues and finds all
/// problems.
package struct Section {
    package let path: String
    package let diagnostics: ConfigurationDiagnostics
    private let values: [String: ConfigurationValue]
    private var known: Set<String> = []

    /// Creates a section from the mapping at `path`. Adds a problem and returns nil if the value is not a mapping.
    package init?(_ value: ConfigurationValue, path: String, diagnostics: ConfigurationDiagnostics) {
        diagnostics.locate(path, line: value.line)
        guard case .mapping(let values) = value.content else {
            diagnostics.problem(path, "is \(value.kind) and should be a mapping", line: value.line)
            return nil
        }
        self.path = path
        self.diagnostics = diagnostics
        self.values = values
    }

    /// Returns the path of a key.
    package func path(_ key: String) -> String {
        let name =
            key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && key.utf8.count <= 60 ? key : quoted(key)
        return path.isEmpty ? name : "\(path).\(name)"
    }

    /// All keys, sorted.
    package var keys: [String] { values.keys.sorted() }

    /// Whether the key has a value other than null.
    package mutating func has(_ key: String) -> Bool { value(key) != nil }

    /// Whether the key is present without items: with an empty list, or with null, as when all items are comments.
    package func isEmpty(_ key: String) -> Bool {
        switch values[key]?.content {
        case .nothing: true
        case .list(let items): items.isEmpty
        default: false
        }
    }

    /// Adds a problem with a key.
    package func problem(_ key: String, _ message: @autoclosure () -> String) {
        diagnostics.problem(path(key), message(), line: values[key]?.line)
    }

    /// Returns the value of a key; nil if it is missing or null.
    package mutating func value(_ key: String) -> ConfigurationValue? {
        known.insert(key)
        guard let value = values[key] else { return nil }
        diagnostics.locate(path(key), line: value.line)
        if case .nothing = value.content { return nil }
        return value
    }

    /// Returns the text of a scalar.
    package mutating func text(_ key: String) -> String? {
        guard let value = value(key) else { return nil }
        guard case .text(let text) = value.content else {
            problem(key, "is \(value.kind) and should be text")
            return nil
        }
        return text
    }

    /// Adds a problem for each of the keys that is missing.
    package mutating func require(_ keys: String...) {
        for key in keys where !has(key) { problem(key, "is missing") }
    }

    /// Returns the text of a required scalar. Adds a problem if it is missing.
    package mutating func requiredText(_ key: String) -> String? {
        require(key)
        return text(key)
    }

    /// Returns the value that a text stands for. Adds a problem about the text if `read` returns nil.
    package mutating func parse<Value>(
        _ key: String, orProblem problem: @autoclosure () -> String, _ read: (String) -> Value?
    ) -> Value? {
        guard let text = text(key) else { return nil }
        let value = read(text)
        if value == nil { self.problem(key, "\(quoted(text)) \(problem())") }
        return value
    }

    /// Returns `true` or `false`.
    package mutating func flag(_ key: String) -> Bool? {
        parse(key, orProblem: "is neither true nor false") { ["true": true, "false": false][$0] }
    }

    /// Returns a whole number.
    package mutating func number(_ key: String) -> Int? {
        parse(key, orProblem: "is not a whole number") { Int($0) }
    }

    /// Returns the value of a word of a vocabulary.
    package mutating func word<Value>(_ key: String, of vocabulary: Vocabulary<Value>) -> Value? {
        parse(key, orProblem: "is none of \(vocabulary.words.joined(separator: ", "))") { vocabulary.value(of: $0) }
    }

    /// Returns the case of an enumeration whose raw value is the word.
    package mutating func word<Value: CaseIterable & RawRepresentable & Sendable>(_ key: String) -> Value?
    where Value.RawValue == String {
        word(key, of: Vocabulary<Value>(Value.allCases.map { ($0.rawValue, [], $0) }))
    }

    /// Returns the values of a list of words of a vocabulary.
    package mutating func words<Value>(_ key: String, of vocabulary: Vocabulary<Value>) -> [Value] {
        list(key).compactMap { item in
            guard case .text(let text) = item.value.content, let value = vocabulary.value(of: text) else {
                diagnostics.problem(
                    item.path, "is none of \(vocabulary.words.joined(separator: ", "))", line: item.value.line)
                return nil
            }
            return value
        }
    }

    /// Returns the elements of a list with their paths.
    package mutating func list(_ key: String) -> [(value: ConfigurationValue, path: String)] {
        guard let value = value(key) else { return [] }
        guard case .list(let items) = value.content else {
            problem(key, "is \(value.kind) and should be a list")
            return []
        }
        let path = path(key)
        return items.enumerated().map { ($1, "\(path)[\($0)]") }
    }

    /// Returns the mappings in a list.
    package mutating func sections(_ key: String) -> [Section] {
        list(key).compactMap { Section($0.value, path: $0.path, diagnostics: diagnostics) }
    }

    /// Returns a nested mapping.
    package mutating func section(_ key: String) -> Section? {
        value(key).flatMap { Section($0, path: path(key), diagnostics: diagnostics) }
    }

    /// Reads a nested mapping, if there is one, and reports the keys that `read` did not read.
    package mutating func read(_ key: String, _ read: (inout Section) -> Void) {
        guard var section = section(key) else { return }
        read(&section)
        section.finish()
    }

    /// Reads each mapping of a list, and reports the keys that `read` did not read.
    package mutating func readEach(_ key: String, _ read: (inout Section) -> Void) {
        for var section in sections(key) {
            read(&section)
            section.finish()
        }
    }

    /// Marks keys as known that are valid but not used.
    package mutating func ignore(_ keys: String...) { known.formUnion(keys) }

    /// Reports the keys that were not read. Must be the last call.
    package func finish() {
        for key in keys where !known.contains(key) {
            switch diagnostics.unknownKeys {
            case .areProblems:
                problem(
                    key, "is not a key of this format" + SpellingSuggestion.suggestion(for: key, among: known))
            case .areNotes: diagnostics.note("\(path(key)): not understood")
            }
        }
    }
}
