extension Sequence {
    /// Returns the elements of an append-only log sorted by `precedes`, without duplicates. Two elements are duplicates
    /// if neither precedes the other.
    func sortedUnique(by precedes: (Element, Element) -> Bool) -> [Element] {
        var sorted = sorted(by: precedes)
        var last: Element?
        sorted.removeAll { element in
            defer { last = element }
            return last.map { !precedes($0, element) } ?? false
        }
        return sorted
    }
}
