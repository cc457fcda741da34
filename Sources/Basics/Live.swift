internal import Synchronization

/// A value that is replaced as a whole while others read it. To read it takes a lock for as long as it takes to copy a
/// reference.
package final class Live<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private let box: Mutex<Box>

    package init(_ value: Value) { box = Mutex(Box(value)) }

    /// The value of the moment. It is lent and not copied: who asks for one member of a large value pays for that one.
    package var current: Value {
        _read {
            let box = box.withLock { $0 }
            yield box.value
        }
    }

    /// Has everybody who asks from now on get another value.
    package func replace(with value: Value) {
        let box = Box(value)
        self.box.withLock { $0 = box }
    }
}
