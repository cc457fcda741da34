package import Foundation

/// A response, before it is sent over HTTP.
package struct SimulatorResponse: Sendable {
    package var status: Int
    package var contentType: String?
    package var body: [UInt8] = []
    package var headers: [(name: String, value: String)] = []
    /// Whether the connection closes in the middle of the body, or before the response.
    package var damage = Damage.none
    /// The delay before the response is sent, in seconds.
    package var delay: TimeInterval = 0

    package enum Damage: Sendable { case none, truncated, dropped }

    /// No response: the connection is closed.
    static let dropped = SimulatorResponse(status: 500, damage: .dropped)

    package static func json(_ body: [UInt8], status: Int = 200) -> Self {
        SimulatorResponse(status: status, contentType: "application/json", body: body)
    }
}
