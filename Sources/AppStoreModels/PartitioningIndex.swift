extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element that fulfills a condition, by binary search; the end index if there is
    /// none. All elements after it fulfill the condition too.
    @inlinable
    package func partitioningIndex(where fulfills: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if fulfills(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
