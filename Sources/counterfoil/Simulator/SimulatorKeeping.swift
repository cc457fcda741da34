import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator status`: whether it runs, and what is in it.
struct SimulatorStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the running simulator: addresses, clock, products, snapshots.")

    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let client = try await options.client()
        let data = try await client.send("GET", [])
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        let information = client.information
        let clock: ClockLine = try await client.call("GET", ["clock"])
        let catalogue: Catalogue = try await client.call("GET", ["production", "catalogue"])
        let snapshots = try await client.all(["snapshots"], as: SnapshotLine.self).map(\.name)
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

/// `counterfoil simulator snapshot`: keep the state under a name.
struct SimulatorSnapshot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "Keep customers, purchases, clock and faults under a name.")

    @Argument(help: ArgumentHelp("Letters, digits, - and _.", valueName: "name")) var name: String
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let data = try await options.client().send("POST", ["snapshots"], body: ["name": name])
        Output.line(options.json ? String(decoding: data, as: UTF8.self) : "kept as \(name)")
    }
}

/// `counterfoil simulator restore`: put a kept state back.
struct SimulatorRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put everything back as it was when the snapshot was made, the time included."
    )

    @Argument(help: ArgumentHelp("The snapshot's name.", valueName: "name")) var name: String
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let data = try await options.client().send("POST", ["snapshots", name, "restore"])
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        Output.line("restored \(name): \(try ControlClient.decode(ClockLine.self, from: data).text)")
    }
}

/// `counterfoil simulator reset`: begin again.
struct SimulatorReset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Forget every customer and purchase and begin again.",
        discussion: """
            Settings, catalogue and the URLs for notifications stay as they are, unless --everything goes.
            """)

    @Flag(help: "Forget settings, catalogue and URLs, too.") var everything = false
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let data = try await options.client().send("POST", ["reset"], body: ["everything": everything])
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        Output.line("empty: \(try ControlClient.decode(ClockLine.self, from: data).text)")
    }
}

/// A snapshot as the control API lists it.
private struct SnapshotLine: Decodable { let name: String }
