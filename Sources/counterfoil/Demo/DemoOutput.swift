import Basics
import StoreSimulator

/// Prints the demo's text, in colour on a terminal.
struct DemoOutput {
    let isQuiet: Bool
    private let style = Style.current()

    func heading(_ title: String) {
        line()
        line(style.strong(title))
    }

    func line(_ text: String = "") {
        if !isQuiet { Output.line(text.isEmpty ? "" : "  " + text) }
    }

    func good(_ text: String) -> String { style.good(text) }
    func bad(_ text: String) -> String { style.bad(text) }
    func faint(_ text: String) -> String { style.faint(text) }

    /// Prints commands and pages to try while both services run.
    func printNextSteps(_ services: DemoServices, _ customer: DemoPlan.Customer) {
        let key = "-H 'Authorization: Bearer \(services.key)'"
        heading("Both run until Ctrl-C. In another terminal:")
        line("curl \(key) \(services.url)/v1/customers/\(customer.id)")
        line("curl \(key) \(services.url)/v1/customers/\(customer.id)/timeline")
        line("curl \(key) \(services.url)/v1/completeness")
        line("sqlite3 \(services.database.shellWord) 'SELECT type, count(*) FROM notifications GROUP BY type'")
        line()
        line(faint("and in the App Store, whose clock is frozen until you advance it:"))
        // Print the command's path as the user typed it, because it may not be in PATH.
        let command = (CommandLine.arguments.first ?? "counterfoil").shellWord
        let folder = "--simulator \(services.simulatorFolder.shellWord)"
        line("\(command) simulator customers \(folder)")
        line("\(command) simulator trigger REFUND --customer \(customer.name) \(folder)")
        line("\(command) simulator clock advance 1 month \(folder)")
        line()
        line(faint("Pages to visit:"))
        line("the App Store    \(services.simulator.information.pagesURL)customers/\(customer.name)")
        line("the server       \(services.url)/console/customers/\(customer.id)")
        line(faint("                 signs in with \(services.key)"))
    }
}
