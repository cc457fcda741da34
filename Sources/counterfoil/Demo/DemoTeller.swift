import Basics
import Foundation
import StoreSimulator

/// Prints the story; in colour on a terminal.
struct DemoTeller {
    let isQuiet: Bool
    private let style = Style.current()

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    func chapter(_ title: String) {
        line()
        line(style.strong(title))
    }

    func line(_ text: String = "") {
        if !isQuiet { Output.line(text.isEmpty ? "" : "  " + text) }
    }

    func good(_ text: String) -> String { style.good(text) }
    func bad(_ text: String) -> String { style.bad(text) }
    func faint(_ text: String) -> String { style.faint(text) }

    /// What somebody at a terminal can do now.
    func invite(_ world: DemoWorld, _ somebody: DemoCast.Customer) {
        let key = "-H 'Authorization: Bearer \(world.client.key)'"
        chapter("Both stay up until Ctrl-C. In another terminal:")
        line("curl \(key) \(world.url)/v1/customers/\(somebody.id)")
        line("curl \(key) \(world.url)/v1/customers/\(somebody.id)/timeline")
        line("curl \(key) \(world.url)/v1/completeness")
        line("sqlite3 \(world.database.shellWord) 'SELECT type, count(*) FROM notifications GROUP BY type'")
        line()
        line(faint("and in the App Store, whose clock stands still until you put it forward:"))
        // As it was typed: it need not be installed.
        let command = (CommandLine.arguments.first ?? "counterfoil").shellWord
        let folder = "--simulator \(world.simulatorFolder.shellWord)"
        line("\(command) simulator customers \(folder)")
        line("\(command) simulator trigger REFUND --customer \(somebody.name) \(folder)")
        line("\(command) simulator clock advance 1 month \(folder)")
        line()
        line(faint("Pages to visit:"))
        line("the App Store    \(world.simulator.information.pagesURL)customers/\(somebody.name)")
        line("the server       \(world.url)/console/customers/\(somebody.id)")
        line(faint("                 signs in with \(world.client.key)"))
    }
}
