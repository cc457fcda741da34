/// The words that a key takes and what they mean.
///
/// Neither case nor what separates words counts: `payAsYouGo` and `PAY_AS_YOU_GO` are the same word. That way the App Store's
/// own spelling works as well as ours.
package struct Vocabulary<Value: Sendable>: Sendable {
    private let values: [String: Value]
    /// The spelling that messages recommend.
    package let words: [String]

    package init(_ words: [(word: String, synonyms: [String], value: Value)]) {
        self.words = words.map(\.word)
        var values: [String: Value] = [:]
        for entry in words {
            for word in [entry.word] + entry.synonyms { values[Self.plain(word)] = entry.value }
        }
        self.values = values
    }

    /// What `text` means.
    package func value(of text: String) -> Value? { values[Self.plain(text)] }

    private static func plain(_ text: String) -> String {
        // No word is as long as this; what is longer need not be looked at.
        text.prefix(64).lowercased().filter { !"_- ".contains($0) }
    }
}
