package import Basics
package import Foundation
internal import Ledger

extension JSONWriter {
    /// Writes an instant in milliseconds since 1970.
    package mutating func member(_ name: StaticString, _ value: Date) { member(name, value.milliseconds) }

    /// Writes an instant in milliseconds since 1970; nothing for nil.
    package mutating func member(_ name: StaticString, _ value: Date?) { if let value { member(name, value) } }
}
