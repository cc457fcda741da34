extension Array where Element: Sendable {
    /// Transforms all elements concurrently; the results keep the order of the elements.
    package func mapConcurrently<Value: Sendable>(
        _ transform: @escaping @Sendable (Element) async -> Value
    ) async -> [Value] {
        await withTaskGroup(of: (Int, Value).self) { group in
            for (index, element) in enumerated() { group.addTask { (index, await transform(element)) } }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
