internal import Foundation
internal import Ledger
internal import WebConsole

/// Links that sign in to the console.
package enum ConsoleLink {
    /// Why there is no link.
    package struct Refusal: Error { package var message: String }

    /// A link that signs in once, within two minutes.
    ///
    /// - Parameters:
    ///   - name: The name of the key whose scopes count.
    ///   - url: Where the server is; what the configuration says, unless it is said.
    package static func make(
        _ configuration: ServerConfiguration, key name: String, url: String? = nil
    ) throws(Refusal) -> String {
        guard configuration.console.isEnabled else {
            throw Refusal(message: "the console is off: write console: {enabled: true} in the configuration")
        }
        guard let secret = configuration.console.secret else {
            throw Refusal(message: "console.secret is missing in the configuration, which links are made with")
        }
        guard let key = configuration.keys.first(where: { $0.name == name && !$0.isPublic }) else {
            throw Refusal(message: "the configuration has no key \(name)")
        }
        guard key.scopes.contains(.consoleOpen) else {
            throw Refusal(message: "the key \(name) lacks the scope console:open")
        }
        let token = SignInLinks(secret: Array(secret.revealed.utf8)).token(for: name)
        return (url ?? address(configuration)) + PageLink("console", "sign-in", query: [("link", token)]).description
    }

    private static func address(_ configuration: ServerConfiguration) -> String {
        let listen = configuration.listen
        let scheme = listen.tls == nil ? "http" : "https"
        if let own = configuration.console.listen { return "\(scheme)://\(own.host):\(own.port)" }
        if let url = listen.publicURL { return url }
        let host = ["0.0.0.0", "::"].contains(listen.host) ? "127.0.0.1" : listen.host
        return "\(scheme)://\(host):\(listen.port)"
    }
}
