// Measures everything that has a performance target, and the raw cryptography for comparison. Prints one JSON object a
// line.
//
//     counterfoil-benchmarks [NAME …]      only the cases whose names begin with NAME; without ratios and memory
//     counterfoil-benchmarks server [LEDGER [TRANSACTIONS]]
//     counterfoil-benchmarks notification | customer      one part of `server`, for use with a profiler
//     counterfoil-benchmarks console LEDGER TRANSACTIONS
//     counterfoil-benchmarks fill LEDGER TRANSACTIONS
//     counterfoil-benchmarks outbox [EVENTS]
//     counterfoil-benchmarks scale [CUSTOMERS …]
import Foundation

let selected = CommandLine.arguments.dropFirst()
if let name = selected.first,
    ["server", "notification", "customer", "console", "fill", "outbox", "scale"].contains(name)
{
    do {
        let arguments = Array(selected.dropFirst())
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
    selected.isEmpty || selected.contains { item.name.hasPrefix($0) }
}

let measurement = try await Measurement.interleaving(cases)
for item in cases { report(item.name, measurement.rate(item.name), "1/s") }
if selected.isEmpty {
    SignedDataBenchmarks.reportRatios(measurement)
    SimulatorBenchmarks.reportRatios(measurement)
    StoreBenchmarks.reportRatios(measurement)
    try await signedData.reportMemory()
    report("memory.peak", Memory.peak / 1_048_576, "MiB")
}
if selected.isEmpty || selected.contains("revocation") {
    var revocation = try RevocationBenchmarks()
    try await revocation.run()
}
if selected.isEmpty || selected.contains("simulator.year") { try await StoreBenchmarks.reportYear() }
await store.stop()
