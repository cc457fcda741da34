/// Says whether two ledgers of one engine are the same.
package protocol DigestStorage: Sendable {
    /// Two ledgers with the same digest hold the same facts from the same texts, the same claims and grants of the same
    /// instants, the same erasures and first purchases, whatever the order in which they came, and whatever numbers they got.
    func digest() async throws -> String
}
