extension Sequence {
    /// What is only ever added to, in the one order that is the same everywhere, each of it once: of two elements neither of
    /// which precedes the other one is left.
    func inOrderOnce(by precedes: (Element, Element) -> Bool) -> [Element] {
        var sorted = sorted(by: precedes)
        var last: Element?
        sorted.removeAll { element in
            defer { last = element }
            return last.map { !precedes($0, element) } ?? false
        }
        return sorted
    }
}
