internal import Basics
internal import HTTPTypes
internal import Hummingbird
internal import WebConsole

extension PageRequest {
    /// Returns the command that requests a path of the API.
    func command(for path: String) -> String {
        "counterfoil server get \(path.shellWord) --url \(apiURL.shellWord)"
    }

    /// The base URL of the API, as the user's browser reaches this server.
    private var apiURL: String {
        let listen = console.listen
        if let url = listen.publicURL { return url }
        let authority = request.head.authority ?? ServerConfiguration.authority(listen.host, listen.port)
        let scheme = console.isSecure(request, context) ? "https" : "http"
        // If the console has a separate port, replace it by the API's port.
        guard console.settings.listen != nil else { return "\(scheme)://\(authority)" }
        return "\(scheme)://\(OriginCheck.name(of: authority) ?? listen.host):\(listen.port)"
    }
}
