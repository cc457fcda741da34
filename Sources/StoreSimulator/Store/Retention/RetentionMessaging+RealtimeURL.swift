package import AppStoreModels
internal import Basics
internal import Foundation

extension RetentionMessaging {
    /// R10. Sets or replaces the realtime URL. Production requires a performance test that passed in the sandbox:
    /// ``hasPassedTest(now:)`` of the sandbox's value.
    package mutating func setRealtimeURL(_ body: RequestBody, hasPassedTest: Bool) throws(APIFailure) {
        let text = try body.string("realtimeURL", or: .badRequestRealtimeUrl)
        if let problem = Self.problem(ofURL: text) {
            throw APIFailure(.badRequestRealtimeUrl, "realtimeURL \(problem).")
        }
        guard isSandbox || hasPassedTest else {
            throw APIFailure(.forbiddenNoPassingTest, "No performance test has passed in the sandbox.")
        }
        realtimeURL = text
    }

    /// R11. Returns the realtime URL.
    package func realtimeURLResponse() throws(APIFailure) -> RealtimeUrlResponse {
        guard let realtimeURL else { throw APIFailure(.realtimeUrlNotFound, "No realtime URL is set.") }
        return RealtimeUrlResponse(realtimeURL: realtimeURL)
    }

    /// R12. Deletes the realtime URL. If none is set, throws status 404 without a code: none is documented for this
    /// case.
    package mutating func deleteRealtimeURL() throws(APIFailure) {
        guard realtimeURL != nil else { throw APIFailure(status: 404, "no realtime URL is set") }
        realtimeURL = nil
    }

    /// Returns why the App Store would not call this URL; nil if it would. The rules are those of notification URLs:
    /// HTTPS, port 443 or 1024 and above. In addition, HTTP is allowed to loopback addresses, because a local
    /// development server has no certificate.
    private static func problem(ofURL text: String) -> String? {
        guard text.unicodeScalars.count <= 256 else { return "has more than 256 characters" }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let url = URLComponents(string: text),
            let host = url.host, !host.isEmpty
        else { return "is not a URL with a host" }
        guard url.user == nil, url.password == nil, url.fragment == nil else {
            return "has a user, a password or a fragment"
        }
        switch url.scheme?.lowercased() {
        case "https":
            let port = url.port ?? 443
            return port == 443 || (1024...65535).contains(port) ? nil : "has a port other than 443 and 1024 or above"
        case "http": return Network.isLoopback(host: host) ? nil : "is not HTTPS"
        default: return "is not HTTPS"
        }
    }
}
