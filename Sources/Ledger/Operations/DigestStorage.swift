/// Computes a digest to compare two ledgers of one engine.
package protocol DigestStorage: Sendable {
    /// Returns the digest. Two ledgers with the same digest contain the same facts from the same texts, claims, grants,
    /// erasures and original purchases with the same instants. The digest does not depend on the order of arrival or on
    /// row identifiers.
    func digest() async throws -> String
}
