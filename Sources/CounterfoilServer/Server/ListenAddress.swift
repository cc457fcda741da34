/// An address that the server listens on, and the settings that it comes from.
struct ListenAddress: Sendable {
    let host: String
    let port: Int
    /// The setting of the host with its origin: `console.listen.host (line 12)`.
    let hostSetting: String
    /// The setting of the port with its origin.
    let portSetting: String
    /// The advice for an error message if the port is taken.
    let remedy: String

    /// The address of the API.
    init(ofAPI configuration: ServerConfiguration) {
        self.init(
            configuration.listen.host, configuration.listen.port, "listen", configuration,
            remedy: { "choose another port with --port or in \($0)" })
    }

    /// The separate address of the console.
    init(ofConsole address: ServerConfiguration.Console.Address, _ configuration: ServerConfiguration) {
        let explanation = address.port == configuration.listen.port ? "the API has that port: " : ""
        self.init(
            address.host, address.port, "console.listen", configuration,
            remedy: { "\(explanation)choose another port in \($0)" })
    }

    private init(
        _ host: String, _ port: Int, _ section: String, _ configuration: ServerConfiguration,
        remedy: (_ portSetting: String) -> String
    ) {
        (self.host, self.port) = (host, port)
        func setting(_ name: String) -> String {
            let path = "\(section).\(name)"
            return "\(path) (\(configuration.origins.origin(of: path)))"
        }
        (hostSetting, portSetting) = (setting("host"), setting("port"))
        self.remedy = remedy(portSetting)
    }

    var description: String { ServerConfiguration.authority(host, port) }
}
