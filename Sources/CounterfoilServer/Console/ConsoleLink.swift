internal import Foundation
internal import Ledger
internal import WebConsole

/// Makes links that sign in to the console.
package enum ConsoleLink {
    /// The reason why no link can be made.
    package struct Refusal: Error {
        package var code, message: String
    }

    /// Returns a link that signs in once, within two minutes.
    ///
    /// - Parameters:
    ///   - name: The name of the key that the session uses.
    ///   - url: The URL of the server; nil for the configured address.
    package static func make(
        _ configuration: ServerConfiguration, key name: String, url: String? = nil
    ) throws(Refusal) -> String {
        guard configuration.console.isEnabled else {
            throw Refusal(
                code: "console_off",
                message: "the console is disabled: set console: {enabled: true} in the configuration")
        }
        guard let secret = configuration.console.secret else {
            throw Refusal(
                code: "no_console_secret", message: "the configuration has no console.secret, which signs these links")
        }
        guard let key = configuration.keys.first(where: { $0.name == name }) else {
            throw Refusal(
                code: "unknown_key",
                message: "the configuration has no key named \(name); counterfoil server keys list lists them")
        }
        guard key.scopes.contains(.consoleOpen) else {
            throw Refusal(code: "missing_scope", message: "the key \(name) lacks the scope console:open")
        }
        let token = SignInLinks(secret: Array(secret.revealed.utf8)).token(for: name)
        return (url ?? address(configuration)) + PageLink("console", "sign-in", query: [("link", token)]).description
    }

    /// Returns the base URL of the console.
    ///
    /// - Parameter port: The port on which the server listens, if the configured port is 0.
    package static func address(_ configuration: ServerConfiguration, port: Int? = nil) -> String {
        let listen = configuration.listen
        if let own = configuration.console.listen { return listen.url(own.host, port: own.port) }
        if let url = listen.publicURL { return url.hasSuffix("/") ? String(url.dropLast()) : url }
        return listen.url(listen.host, port: port ?? listen.port)
    }
}
