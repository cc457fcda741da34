public import AppStoreModels
public import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// A request with which the simulated App Store posts a notification to the developer's server.
public struct NotificationRequest: Sendable {
    /// The environment of the notification.
    public let environment: AppStoreEnvironment
    /// The body: JSON, `{"signedPayload":"…"}` of App Store Server Notifications V2.
    public let body: Data

    /// Creates a request, for tests of a receiver.
    public init(environment: AppStoreEnvironment, body: Data) {
        self.environment = environment
        self.body = body
    }

    /// The JWS in the body; nil if a fault has damaged the body, or the notification is of version 1.
    public var signedPayload: String? {
        do { return try JSONDecoder().decode(ResponseBodyV2.self, from: body).signedPayload } catch { return nil }
    }
}

/// A developer's server inside the process that runs the simulator.
///
/// Commands and advances of the simulator wait for the response to every notification in flight. A closure that waits for
/// one of them before it returns therefore does not respond in time.
///
/// - Parameter request: The notification. When the closure returns, the response has status 200. When the closure
///   throws, the response has status 500, and the App Store sends the notification again according to its retry
///   schedule.
public typealias NotificationReceiver = @Sendable (_ request: NotificationRequest) async throws -> Void

extension SimulatorRoutes {
    /// The path of the receiver. Notifications reach it over HTTP, so faults and timeouts apply as for any other
    /// server.
    static let receiverPath = "/receiver"

    static func add(_ receiver: @escaping NotificationReceiver, to router: Router<SimulatorContext>) {
        for environment in AppStoreEnvironment.simulated {
            router.post(RouterPath("\(receiverPath)/\(environment.pathName)")) { request, context -> Response in
                let body = try await data(request, context)
                do {
                    try await receiver(NotificationRequest(environment: environment, body: body))
                    return Response(status: .ok)
                } catch {
                    // The App Store sees only the status. The receiver itself handles or logs the error.
                    return Response(status: .internalServerError)
                }
            }
        }
    }
}
