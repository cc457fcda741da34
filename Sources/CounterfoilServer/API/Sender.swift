internal import Foundation
internal import HTTPTypes
internal import Hummingbird

extension ServerContext {
    /// The address that a request comes from. What a proxy says of it counts only if the proxy is one of ours.
    func sender(of request: Request, _ listen: ServerConfiguration.Listen) -> String? {
        guard var address = peer, !listen.trustedProxies.isEmpty else { return peer }
        var forwarded = Self.forwardedFor.map { request.headers[values: $0] } ?? []
        forwarded = forwarded.flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
        // Each proxy adds at the end whom it has it from: the last who is not one of ours is the sender.
        while listen.trustedProxies.contains(where: { $0.contains(address) }), let before = forwarded.popLast() {
            address = before
        }
        return address
    }

    private static let forwardedFor = HTTPField.Name("X-Forwarded-For")
}
