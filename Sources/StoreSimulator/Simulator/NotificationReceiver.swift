public import AppStoreModels
public import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// What the simulated App Store posts to the developer's server.
public struct NotificationRequest: Sendable {
    /// The environment that it is about.
    public let environment: AppStoreEnvironment
    /// The body: JSON, `{"signedPayload":"…"}` of App Store Server Notifications V2.
    public let body: Data

    /// A request with these values, as a test of a receiver needs one.
    public init(
        environment: AppStoreEnvironment, body: Data
    ) {
        self.environment = environment
        self.body = body
    }

    /// The JWS in the body; nil where a fault has spoiled it, or it is of version 1.
    public var signedPayload: String? {
        do { return try JSONDecoder().decode(ResponseBodyV2.self, from: body).signedPayload } catch { return nil }
    }
}

/// A developer's server inside the process that runs the simulator.
///
/// - Parameter request: What the App Store posts. It is acknowledged with status 200 when the closure returns. When it throws,
///   the answer is 500 and the App Store tries again, as its schedule has it.
public typealias NotificationReceiver = @Sendable (_ request: NotificationRequest) async throws -> Void

extension SimulatorRoutes {
    /// The path of the receiver. Notifications come to it over HTTP, so that faults and time limits are those of any server.
    static let receiverPath = "/receiver"

    static func add(_ receiver: @escaping NotificationReceiver, to router: Router<SimulatorContext>) {
        for environment in [AppStoreEnvironment.production, .sandbox] {
            let path = "\(receiverPath)/\(environment.rawValue.lowercased())"
            router.post(RouterPath(path)) { request, context -> Response in
                let body = try await data(request, context)
                do {
                    try await receiver(NotificationRequest(environment: environment, body: body))
                    return Response(status: .ok)
                } catch {
                    // What it was is the receiver's own affair; the App Store sees the status.
                    return Response(status: .internalServerError)
                }
            }
        }
    }
}
