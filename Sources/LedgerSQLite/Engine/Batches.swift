extension RandomAccessCollection {
    /// Returns the elements in their order as batches of at most `size`.
    func batches(of size: Int) -> [SubSequence] {
        stride(from: 0, to: count, by: size).map { dropFirst($0).prefix(size) }
    }
}
