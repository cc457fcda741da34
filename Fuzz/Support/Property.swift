import Foundation

/// Checks properties of the code under test. A broken property ends the process, and libFuzzer saves the input.
package enum Property {
    /// Ends the process unless `condition` is true.
    package static func require(_ condition: Bool, _ property: @autoclosure () -> String) {
        guard condition else { fail(property()) }
    }

    /// Ends the process if `body` throws.
    package static func success<Value>(_ property: @autoclosure () -> String, _ body: () throws -> Value) -> Value {
        do {
            return try body()
        } catch {
            fail("\(property()): \(error)")
        }
    }

    /// Ends the process unless `text` is JSON.
    package static func requireJSON(_ text: String, _ property: @autoclosure () -> String) {
        _ = success(property()) { try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) }
    }

    package static func fail(_ property: String) -> Never {
        fatalError("broken property: \(property)")
    }
}

/// Returns libFuzzer's input as an array.
package func input(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
}
