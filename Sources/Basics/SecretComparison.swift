extension String {
    /// Whether both have the same bytes in UTF-8, without telling by how long it takes how much of a secret was right.
    package func isSameSecret(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
