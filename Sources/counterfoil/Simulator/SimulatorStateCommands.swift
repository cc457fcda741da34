import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator status`: shows the running simulator and its contents.
struct SimulatorStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the running simulator: addresses, clock, products, snapshots.",
        discussion: """
            EXAMPLES
              counterfoil simulator status
              counterfoil simulator status --simulator http://127.0.0.1:9000 --json
            """)

    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let client = try await options.client()
        let data = try await client.send("GET", [])
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        let information = client.information
        let clock = try await client.clock()
        let catalogue = try await client.catalogue(of: .production)
        let snapshots = try await client.all(["snapshots"], as: SnapshotName.self).map(\.name)
        Output.line("production  \(information.baseURLs.production)")
        Output.line("sandbox     \(information.baseURLs.sandbox)")
        Output.line("folder      \(information.folder.path)")
        Output.line("process     \(information.processIdentifier)")
        Output.line("clock       \(clock.text)")
        for (index, product) in catalogue.products.enumerated() {
            Output.line("\(index == 0 ? "products" : "        ")    \(product.id)")
        }
        Output.line("snapshots   \(snapshots.isEmpty ? "none" : snapshots.joined(separator: ", "))")
    }
}

/// `counterfoil simulator snapshot`: saves the state under a name.
struct SimulatorSnapshot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "Save customers, purchases, clock and faults under a name.",
        discussion: """
            Replaces an earlier snapshot of that name.

            EXAMPLES
              counterfoil simulator snapshot before-renewal
            """)

    @Argument(help: ArgumentHelp("The snapshot's name: letters, digits, - and _.", valueName: "name")) var name: String
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let data = try await options.client().send("POST", ["snapshots"], body: ["name": name])
        Output.line(options.json ? String(decoding: data, as: UTF8.self) : "saved as \(name)")
    }
}

/// `counterfoil simulator restore`: restores a saved state.
struct SimulatorRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a snapshot, including the clock.",
        discussion: """
            EXAMPLES
              counterfoil simulator restore before-renewal
            """)

    @Argument(help: ArgumentHelp("The snapshot's name.", valueName: "name")) var name: String
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let data = try await options.client().send("POST", ["snapshots", name, "restore"])
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        Output.line("restored \(name): \(try ControlClient.decode(ClockReading.self, from: data).text)")
        Output.error(repeatedIdentifiers)
    }
}

/// `counterfoil simulator reset`: deletes all customers and purchases.
struct SimulatorReset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Delete all customers and purchases and start again.",
        discussion: """
            Settings, catalogue and notification URLs are kept unless --everything is given.

            EXAMPLES
              counterfoil simulator reset
              counterfoil simulator reset --everything
            """)

    @Flag(help: "Reset settings, catalogue and notification URLs too.") var everything = false
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let data = try await options.client().send("POST", ["reset"], body: ["everything": everything])
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        Output.line("empty: \(try ControlClient.decode(ClockReading.self, from: data).text)")
        Output.error(repeatedIdentifiers)
    }
}

/// The note after the state went back: identifiers derive from the seed, so they repeat with other contents.
private let repeatedIdentifiers =
    "note: identifiers repeat from here on; a server that received the earlier data needs an empty ledger"
