/// The words that a key accepts, with their values.
///
/// Case and separators are ignored: `payAsYouGo` and `PAY_AS_YOU_GO` are the same word. So the App Store's spellings
/// work too.
package struct Vocabulary<Value: Sendable>: Sendable {
    private let values: [String: Value]
    /// The spellings to recommend in messages.
    package let words: [String]

    package init(_ words: [(word: String, synonyms: [String], value: Value)]) {
        self.words = words.map(\.word)
        var values: [String: Value] = [:]
        for entry in words {
            for word in [entry.word] + entry.synonyms { values[Self.plain(word)] = entry.value }
        }
        self.values = values
    }

    /// Returns the value of a word; nil if it is unknown.
    package func value(of text: String) -> Value? { values[Self.plain(text)] }

    private static func plain(_ text: String) -> String {
        // No word is longer than 64 characters.
        text.prefix(64).lowercased().filter { !"_- ".contains($0) }
    }
}
