import ArgumentParser
import StoreSimulator

/// `counterfoil simulator revocation`: sets the OCSP status of the simulator's certificates.
struct SimulatorRevocation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revocation", abstract: "Set the OCSP status of the simulator's certificates.",
        discussion: """
            The simulator is the OCSP responder of its own certificates. A server with revocation: soft or hard asks it, \
            and caches a response for up to a day of its clock: advance the simulator's clock by a day to make the server \
            ask again.

            STATUS
              good         not revoked (the initial status)
              revoked      revoked
              unknown      the responder does not know the certificate
              expired      good, but the response has expired
              slow         good, after --seconds
              wrong        good, with an invalid signature
              unreachable  the connection closes without a response

            EXAMPLES
              counterfoil simulator revocation leaf revoked
              counterfoil simulator revocation both unreachable
              counterfoil simulator revocation both good
            """)

    /// The certificate whose status is set.
    enum Certificate: String, ExpressibleByArgument, CaseIterable { case leaf, intermediate, both }

    /// The status that the responder returns.
    enum Status: String, ExpressibleByArgument, CaseIterable {
        case good, revoked, unknown, expired, slow, wrong, unreachable
    }

    @Argument(help: "The certificate: leaf, intermediate or both.") var certificate: Certificate
    @Argument(help: "The status; see above.") var status: Status
    @Option(help: ArgumentHelp("The delay of slow. Default: 10.", valueName: "n")) var seconds: Double?
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard seconds == nil || status == .slow else { throw ValidationError("--seconds needs the status slow.") }
        guard seconds.map({ (0...600).contains($0) }) ?? true else {
            throw ValidationError("--seconds takes 0 to 600.")
        }
    }

    func run() async throws {
        var body: [String: JSONValue] = [
            "certificate": .string(certificate.rawValue), "status": .string(status.rawValue),
        ]
        if let seconds { body["seconds"] = .number(seconds) }
        let data = try await options.client().send("PUT", ["ocsp"], body: body)
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        Output.line("\(certificate.rawValue): \(status.rawValue)")
    }
}
