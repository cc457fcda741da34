import Foundation

/// Which of several keys makes the next token: the first that the App Store has not refused lately.
///
/// While a key is being replaced there are two. The first, newer one is used, unless the App Store refuses what it signs,
/// as it does before it knows the key and after it was revoked.
struct KeyChoice {
    /// How long a key that was refused is left alone while there is another.
    static let pause: TimeInterval = 15 * 60

    private var refusals: [Int: Date] = [:]

    /// Notes that the App Store refused a token of a key.
    mutating func refuse(_ key: Int, at now: Date) { refusals[key] = now }

    /// The place of the key to use, among so many.
    func key(of count: Int, at now: Date) -> Int {
        let all = 0..<max(count, 1)
        let free = all.first { key in
            // A refusal from the future means that the clock was put back.
            refusals[key].map { now < $0 || now >= $0 + Self.pause } ?? true
        }
        // All were refused: the one that was refused longest ago comes first, so that each has its turn.
        return free ?? all.min { (refusals[$0] ?? .distantPast) < (refusals[$1] ?? .distantPast) } ?? 0
    }
}
