import ArgumentParser
import Foundation

/// `counterfoil demo`: a year and a month of 200 customers, an outage, and a ledger that is right all the same.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Watch a server keep the purchases of 200 customers through an outage.",
        discussion: """
            Starts a simulated App Store and a server on loopback, with SQLite in a temporary folder, and simulates 13 \
            months of 200 customers in seconds. In between, the server is down for three days and a tenth of the \
            notifications are lost. Then the server recovers what it missed and must agree with the App Store about every \
            customer. Finally one customer buys on an old phone and opens the app on a new one: the purchase is there \
            without a tap. On a terminal both keep running, with commands to try.

            EXAMPLES
              counterfoil demo
              counterfoil demo --customers 50 --json

            JSON: {"agreed":…,"customers":…,"notifications":…,"lost":…,"recovered":…,"wrong_before_recovery":…, …}
            Exit status: 0 they agree about every customer, 1 they do not, 2 wrong usage.
            """)

    @Option(help: ArgumentHelp("The number of customers, 2 to 2000.", valueName: "n")) var customers = 200
    @Flag(help: "Print one JSON object at the end instead of text.") var json = false

    func validate() throws {
        guard (2...2000).contains(customers) else { throw ValidationError("--customers takes 2 to 2000.") }
    }

    func run() async throws {
        let teller = DemoTeller(isQuiet: json)
        let (report, _) = try await DemoWorld.run { world in
            var story = DemoStory(world, DemoCast(customers: customers), teller)
            return (try await story.tell(), story.protagonist)
        } afterwards: { world, told in
            guard !json, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return }
            let (_, protagonist) = told
            await Signals.wait { teller.invite(world, protagonist) }
        }
        // The folder is gone by now: if this cannot be written, it is the last that happens.
        if json { Output.line(JSONText.encode(report)) }
        guard report.agreed else {
            throw Refusal(code: "disagreement", message: "the server and the App Store do not agree")
        }
    }
}

/// The demo for machines.
struct DemoReport: Encodable, Sendable {
    var agreed = false
    var customers = 0
    var months = 0
    /// How many notifications the App Store signed.
    var notifications = 0
    /// How many of them never reached the server.
    var lost = 0
    /// How many it found by looking for them.
    var recovered = 0
    var wrongBeforeRecovery = 0
    var wrongAfterRecovery = 0
    var wrongAtTheEnd = 0
    /// How many customers were asked about at an instant of the outage, and about how many the answer was wrong.
    var askedInThePast = 0
    var wrongInThePast = 0
    /// Whether what a customer bought on one device is on another one, without a tap.
    var newDeviceHasEverything = false
    var recoverySeconds = 0.0
    var seconds = 0.0
}
