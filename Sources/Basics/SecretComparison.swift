extension String {
    /// Whether both have the same UTF-8 bytes. For texts of equal length, the time does not depend on their contents.
    package func isSameSecret(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
