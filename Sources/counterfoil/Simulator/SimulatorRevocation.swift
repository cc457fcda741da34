import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator revocation`: how questions about the simulator's certificates are answered.
struct SimulatorRevocation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revocation", abstract: "Say how the simulator answers for its certificates.",
        discussion: """
            The certificates that the simulator signs with name itself as the responder (OCSP). A server with \
            revocation: soft or hard asks there, and remembers an answer for up to a day of its clock: put the simulator's \
            clock forward by one for the server to ask again.

            STATUS
              good         nothing is wrong, which is how it begins
              revoked      the certificate must not be believed any more
              unknown      the responder does not know the certificate
              expired      good, but the answer is too old to count
              slow         good, after --seconds
              wrong        good, with a signature that is wrong
              unreachable  the connection ends without an answer

            EXAMPLES
              counterfoil simulator revocation leaf revoked
              counterfoil simulator revocation both unreachable
              counterfoil simulator revocation both good
            """)

    /// Whose revocation is meant.
    enum Certificate: String, ExpressibleByArgument, CaseIterable { case leaf, intermediate, both }

    /// What is answered.
    enum Status: String, ExpressibleByArgument, CaseIterable {
        case good, revoked, unknown, expired, slow, wrong, unreachable
    }

    @Argument(help: "leaf, intermediate or both.") var certificate: Certificate
    @Argument(help: "What is answered; see above.") var status: Status
    @Option(help: ArgumentHelp("How long slow takes. Default: 10.", valueName: "n")) var seconds: Double?
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard seconds == nil || status == .slow else { throw ValidationError("--seconds is for slow.") }
        guard seconds.map({ (0...600).contains($0) }) ?? true else { throw ValidationError("--seconds is 0 to 600.") }
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
