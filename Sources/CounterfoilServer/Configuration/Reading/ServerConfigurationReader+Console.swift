internal import ConfigurationReading
internal import Ledger

extension ServerConfigurationReader {
    func console(_ section: inout Section, _ console: inout ServerConfiguration.Console) {
        console.isEnabled = section.flag("enabled") ?? console.isEnabled
        console.isReadOnly = section.flag("read_only") ?? console.isReadOnly
        console.auditsReads = section.flag("audit_reads") ?? console.auditsReads
        console.secret = secret(&section, "secret")
        if let secret = console.secret, secret.revealed.utf8.count < 24 {
            section.problem("secret", "is shorter than 24 characters")
        }
        section.read("listen") { listen in
            var address = ServerConfiguration.Console.Address()
            address.host = listen.text("host") ?? address.host
            checkListenHost(address.host, listen)
            // 0 is not accepted: the chosen port would not be shown anywhere.
            address.port = listen.number("port", in: 1...65535) ?? address.port
            console.listen = address
        }
    }
}
