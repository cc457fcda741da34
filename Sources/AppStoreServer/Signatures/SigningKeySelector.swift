import Foundation

/// Chooses the key for the next token: the first one that the App Store has not refused recently.
///
/// While a key is being replaced there are two. The newer one is first, but the App Store refuses it until it knows the
/// key, and again after it was revoked.
struct SigningKeySelector {
    /// How long a refused key is not used while there is another.
    static let pause: TimeInterval = 15 * 60

    private var refusals: [Int: Date] = [:]

    /// Records that the App Store refused a token of a key.
    mutating func recordRefusal(of key: Int, at now: Date) { refusals[key] = now }

    /// Returns the index of the key to use, out of `count` keys.
    func index(among count: Int, at now: Date) -> Int {
        let all = 0..<max(count, 1)
        let free = all.first { key in
            // If the refusal is in the future, the clock was set back.
            refusals[key].map { now < $0 || now >= $0 + Self.pause } ?? true
        }
        // All keys were refused: use the one whose refusal is the oldest, so that they take turns.
        return free ?? all.min { (refusals[$0] ?? .distantPast) < (refusals[$1] ?? .distantPast) } ?? 0
    }
}
