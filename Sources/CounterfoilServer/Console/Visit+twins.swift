internal import Basics
internal import HTTPTypes
internal import Hummingbird
internal import WebConsole

extension Visit {
    /// The command that prints what a path of the API answers.
    func command(for path: String) -> String {
        "counterfoil server get \(path.shellWord) --url \(apiURL.shellWord)"
    }

    /// Where the API is, as whoever looks at the console reaches this server.
    private var apiURL: String {
        let listen = console.core.configuration.listen
        if let url = listen.publicURL { return url }
        let authority = request.head.authority ?? "\(listen.host):\(listen.port)"
        let scheme = console.isSecure(request, context) ? "https" : "http"
        // Where the console has a port of its own, the API is at the other.
        guard console.settings.listen != nil else { return "\(scheme)://\(authority)" }
        return "\(scheme)://\(OriginCheck.name(of: authority) ?? listen.host):\(listen.port)"
    }
}
