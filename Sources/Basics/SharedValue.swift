internal import Synchronization

/// A shared value that is replaced as a whole while other tasks read it. Reading takes a lock only to copy a reference.
package final class SharedValue<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private let box: Mutex<Box>

    package init(_ value: Value) { box = Mutex(Box(value)) }

    /// The current value. It is yielded without a copy, so reading one member of a large value is cheap.
    package var current: Value {
        _read {
            let box = box.withLock { $0 }
            yield box.value
        }
    }

    /// Replaces the value. Running readers keep the old one.
    package func replace(with value: Value) {
        let box = Box(value)
        self.box.withLock { $0 = box }
    }
}
