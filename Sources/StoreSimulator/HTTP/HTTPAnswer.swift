package import Foundation

/// An answer before it is HTTP.
package struct HTTPAnswer: Sendable {
    package var status: Int
    package var contentType: String?
    package var body: [UInt8] = []
    package var headers: [(name: String, value: String)] = []
    /// Whether the connection ends in the middle of the body, or before the head.
    package var damage = Damage.none
    /// How long to wait before it is sent, in seconds.
    package var delay: TimeInterval = 0

    package enum Damage: Sendable { case none, truncated, dropped }

    package static func json(_ body: [UInt8], status: Int = 200) -> Self {
        HTTPAnswer(status: status, contentType: "application/json", body: body)
    }
}
