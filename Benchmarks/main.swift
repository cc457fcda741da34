// Measures what has a target, and the raw cryptography beside it, in one run. Prints a JSON object a line.
//
//     counterfoil-benchmarks [NAME …]      only the cases whose names begin so; without ratios and memory
//     counterfoil-benchmarks server [LEDGER [TRANSACTIONS]]
//     counterfoil-benchmarks notification | customer      one part of it, to look into with a profiler
//     counterfoil-benchmarks console LEDGER TRANSACTIONS
//     counterfoil-benchmarks fill LEDGER TRANSACTIONS
//     counterfoil-benchmarks outbox [EVENTS]
//     counterfoil-benchmarks scale [CUSTOMERS …]
import Foundation

let wanted = CommandLine.arguments.dropFirst()
if let name = wanted.first, ["server", "notification", "customer", "console", "fill", "outbox", "scale"].contains(name)
{
    do {
        let arguments = Array(wanted.dropFirst())
        switch name {
        case "notification", "customer": try await ServerBenchmarks.run(only: name)
        case "fill": try await FillLedger.run(arguments)
        case "console": try await ConsoleBenchmarks.run(arguments)
        case "scale": try await SimulatorScaleBenchmarks.run(arguments)
        case "outbox": try await OutboxBenchmarks.run(arguments)
        default: try await ServerBenchmarks.run(arguments)
        }
        exit(0)
    } catch {
        FileHandle.standardError.write(Data("counterfoil-benchmarks: \(error)\n".utf8))
        exit(1)
    }
}
let signedData = try SignedDataBenchmarks()
let receipts = try ReceiptBenchmarks()
let simulator = try SimulatorBenchmarks()
let store = try await StoreBenchmarks()
let cases = (signedData.cases + receipts.cases + simulator.cases + store.cases).filter { item in
    wanted.isEmpty || wanted.contains { item.name.hasPrefix($0) }
}

let measurement = try await Measurement.interleaving(cases)
for item in cases { report(item.name, measurement.rate(item.name), "1/s") }
if wanted.isEmpty {
    SignedDataBenchmarks.reportRatios(measurement)
    SimulatorBenchmarks.reportRatios(measurement)
    StoreBenchmarks.reportRatios(measurement)
    try await signedData.reportMemory()
    report("memory.peak", Memory.peak / 1_048_576, "MiB")
}
if wanted.isEmpty || wanted.contains("revocation") {
    var revocation = try RevocationBenchmarks()
    try await revocation.run()
}
if wanted.isEmpty || wanted.contains("simulator.year") { try await StoreBenchmarks.reportYear() }
await store.stop()
