package import Basics
package import Foundation
internal import Ledger

extension JSONWriter {
    /// An instant, in milliseconds.
    package mutating func member(_ name: StaticString, _ value: Date) { member(name, value.milliseconds) }

    /// An instant that is left out when there is none.
    package mutating func member(_ name: StaticString, _ value: Date?) { if let value { member(name, value) } }
}
