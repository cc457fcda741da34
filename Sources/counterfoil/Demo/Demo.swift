import ArgumentParser
import Foundation

/// `counterfoil demo`: simulates 13 months of purchases and a server outage, and checks that the ledger is correct.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Watch a server keep the purchases of 200 customers through an outage.",
        discussion: """
            Starts a simulated App Store and a server on loopback, with SQLite in a temporary folder, and simulates 13 \
            months of 200 customers in seconds. In one of the months the server is down for three days, and a tenth of the \
            notifications are lost. Then the server recovers what it missed and must agree with the App Store about every \
            customer. Finally one customer buys on an old phone and opens the app on a new one: the purchase is there \
            without a tap. On a terminal both keep running, with commands to try.

            EXAMPLES
              counterfoil demo
              counterfoil demo --customers 50 --json

            JSON:
              {"agreed":…,"customers":…,"notifications":…,"lost":…,"recovered":…,
              "wrong_before_recovery":…,…}

            Exit status: 0 they agree about every customer, 1 they do not, 2 wrong usage.
            """)

    @Option(help: ArgumentHelp("The number of customers, 2 to 2000.", valueName: "n")) var customers = 200
    @Flag(help: "Print one JSON object at the end instead of text.") var json = false

    func validate() throws {
        guard (2...2000).contains(customers) else { throw ValidationError("--customers takes 2 to 2000.") }
    }

    func run() async throws {
        let output = DemoOutput(isQuiet: json)
        let (report, _) = try await DemoServices.run { services in
            var demo = DemoRun(services, DemoPlan(customers: customers), output)
            return (try await demo.run(), demo.featuredCustomer)
        } afterwards: { services, result in
            guard !json, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return }
            let (_, featuredCustomer) = result
            await Signals.wait(printing: { output.printNextSteps(services, featuredCustomer) })
        }
        // Print after the temporary folder is removed: a failed write ends the process.
        if json { Output.line(JSONText.encode(report)) }
        guard report.agreed else {
            throw Refusal(code: "disagreement", message: "the server and the App Store do not agree")
        }
    }
}

/// The result of the demo, which `--json` prints.
struct DemoReport: Encodable, Sendable {
    var agreed = false
    var customers = 0
    var months = 0
    /// The number of notifications that the App Store signed.
    var notifications = 0
    /// The number of notifications whose delivery to the server failed.
    var lost = 0
    /// The number of missed notifications that recovery fetched from the App Store.
    var recovered = 0
    var wrongBeforeRecovery = 0
    var wrongAfterRecovery = 0
    var wrongAtTheEnd = 0
    /// The number of customers whose state at an instant of the outage was compared.
    var askedInThePast = 0
    /// The number of those customers for whom the server's response was wrong.
    var wrongInThePast = 0
    /// Whether a customer's new device has all purchases of the old one without a restore by the customer.
    var newDeviceHasEverything = false
    var recoverySeconds = 0.0
    var seconds = 0.0
}
