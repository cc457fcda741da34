import AppStoreModels
import ArgumentParser
import Basics
import StoreSimulator

/// `counterfoil simulator fault`: manages simulated failures.
struct FaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault", abstract: "Make requests to the simulator, or its notifications, fail on purpose.",
        discussion: """
            TARGETS
              route:<endpoint>, route:verifyReceipt, route:*
              notification:<TYPE>[.<SUBTYPE>], notification:*
              notification:V1.CANCEL and the other types of version 1
            `counterfoil api --help` lists the endpoints, `counterfoil simulator trigger --list` the types.

            EFFECTS
              drop  unreachable  duplicate  reorder  changeHistory  truncate
              invalidSignature  wrongChain  unknownValues  extraFields
              delay=<seconds>  status=<code>  error=<code>  rateLimit=<seconds>
              clockSkew=<seconds>

            For route:verifyReceipt, error is a status such as 21005, or 21100 to 21199.

            EXAMPLES
              counterfoil simulator fault add route:transaction error=5000001 --count 2
              counterfoil simulator fault add 'notification:*' duplicate --probability 0.1
              counterfoil simulator fault list
              counterfoil simulator fault remove
            """,
        subcommands: [FaultAdd.self, FaultList.self, FaultRemove.self], defaultSubcommand: FaultList.self)
}

/// `counterfoil simulator fault add`.
struct FaultAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a fault.",
        discussion: """
            `counterfoil simulator fault --help` lists targets and effects.

            EXAMPLES
              counterfoil simulator fault add route:transaction-history rateLimit=60
              counterfoil simulator fault add notification:DID_RENEW drop --count 1
              counterfoil simulator fault add 'route:*' rateLimit=60 --for 60
            """)

    @Argument(help: ArgumentHelp("The affected route or notification.", valueName: "target")) var target: String
    @Argument(help: ArgumentHelp("The effect, with its value if it takes one.", valueName: "effect")) var effect: String
    @Option(help: ArgumentHelp("Only this environment. Default: both.", valueName: "name")) var environment:
        EnvironmentName?
    @Option(help: ArgumentHelp("The probability each time, 0 to 1.", valueName: "p")) var probability: Double?
    @Option(help: ArgumentHelp("The maximum number of times.", valueName: "n")) var count: Int?
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long, by the simulator's clock. Default: until removed.", valueName: "seconds"))
    var seconds: Double?
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        if let probability, !(0...1).contains(probability) {
            throw ValidationError("--probability takes a number from 0 to 1.")
        }
        if let count, count < 1 { throw ValidationError("--count takes a number from 1.") }
    }

    func run() async throws {
        var body: [String: JSONValue] = ["target": .string(target), "effect": .object(try effectObject())]
        if let environment { body["environment"] = .string(environment.environment.rawValue) }
        if let probability { body["probability"] = .number(probability) }
        if let count { body["count"] = .integer(Int64(count)) }
        let query = seconds.map { [("seconds", "\($0)")] } ?? []
        let data = try await options.client().send("POST", ["faults"], query: query, body: body)
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        Output.line("added: " + (try ControlClient.decode(FaultReport.self, from: data)).text)
    }

    private func effectObject() throws -> [String: JSONValue] {
        let parts = effect.split(separator: "=", maxSplits: 1).map(String.init)
        let name = parts.first ?? ""
        guard let member = Fault.Effect.numberMembers[name] else {
            // Send an unknown name unchanged: the simulator's refusal suggests a similar one.
            guard parts.count == 1 || !Fault.Effect.names.contains(name) else {
                throw ValidationError("The effect \(name) takes no value.")
            }
            return [name: .object([:])]
        }
        guard parts.count == 2, let number = Double(parts[1]), number.isFinite else {
            throw ValidationError("The effect \(name) takes a number: \(name)=1.")
        }
        let isWhole = number == number.rounded() && abs(number) < 1e15
        return [name: .object([member: isWhole ? .integer(Int64(number)) : .number(number)])]
    }
}

/// `counterfoil simulator fault list`.
struct FaultList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the active faults.",
        discussion: """
            EXAMPLES
              counterfoil simulator fault list
              counterfoil simulator fault list --json
            """)

    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let client = try await options.client()
        if options.json { return try await client.printItems(of: ["faults"]) }
        let faults = try await client.all(["faults"], as: FaultReport.self)
        if faults.isEmpty { Output.line("no faults") }
        for fault in faults { Output.line(fault.text) }
    }
}

/// `counterfoil simulator fault remove`.
struct FaultRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a fault by its number, or all faults.",
        discussion: """
            EXAMPLES
              counterfoil simulator fault remove
              counterfoil simulator fault remove 2
            """)

    @Argument(help: ArgumentHelp("The number in the list. Default: all.", valueName: "n")) var number: Int?
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let client = try await options.client()
        let faults = try await client.all(["faults"], as: [String: JSONValue].self)
        _ = try await client.send("DELETE", ["faults"] + (number.map { ["\($0)"] } ?? []))
        guard options.json else { return Output.line(number == nil ? "all faults removed" : "fault removed") }
        let removed = number.map { JSONValue.integer(Int64($0)) }
        for fault in faults where removed == nil || fault["number"] == removed {
            Output.line(try JSONLine.text(fault))
        }
    }
}

/// A fault as the control API returns it.
private struct FaultReport: Decodable {
    let number, timesApplied: Int
    let fault: JSONValue

    var text: String {
        guard case .object(let members) = fault else { return "\(number)" }
        let words = members.sorted { $0.key < $1.key }.map { "\($0)=\((try? JSONLine.text($1)) ?? "")" }
        let times = "\(timesApplied) \(timesApplied.noun("time"))"
        return "\(number)  applied \(times)  " + words.joined(separator: "  ").printable
    }
}
