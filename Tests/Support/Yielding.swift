/// A sequence that is iterated with `for await`, and lets other tasks run every ten milliseconds. All tests share the
/// few threads of Swift's cooperative pool, so one that computes for long would delay the others.
package struct Yielding<Base: Sequence>: AsyncSequence {
    package typealias Element = Base.Element
    package typealias Failure = Never

    package struct AsyncIterator: AsyncIteratorProtocol {
        package typealias Failure = Never

        fileprivate var base: Base.Iterator
        fileprivate var resumed = ContinuousClock.now

        package mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Base.Element? {
            if resumed.duration(to: .now) > .milliseconds(10) {
                await Task.yield()
                resumed = .now
            }
            return base.next()
        }
    }

    private let base: Base

    package init(_ base: Base) { self.base = base }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeIterator()) }
}
