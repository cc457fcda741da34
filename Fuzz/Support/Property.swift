import Foundation

/// What a harness requires of the code under test. A broken property ends the process, and libFuzzer keeps the input.
package enum Property {
    /// Stops unless `condition` holds.
    package static func require(_ condition: Bool, _ property: @autoclosure () -> String) {
        guard condition else { fail(property()) }
    }

    /// Stops unless `body` returns.
    package static func success<Value>(_ property: @autoclosure () -> String, _ body: () throws -> Value) -> Value {
        do {
            return try body()
        } catch {
            fail("\(property()): \(error)")
        }
    }

    /// Stops unless `text` is JSON.
    package static func requireJSON(_ text: String, _ property: @autoclosure () -> String) {
        _ = success(property()) { try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) }
    }

    package static func fail(_ property: String) -> Never {
        fatalError("broken property: \(property)")
    }
}

/// The bytes that libFuzzer hands over.
package func input(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
}
