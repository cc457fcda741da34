import CounterfoilClient
import CounterfoilClientTesting
import Dispatch
import Foundation

/// An actor that does nothing, to compare with.
private actor Empty { func nothing() {} }

/// What a launch costs the thread that calls `start()`, as a ratio to an empty call of an actor in the same run.
///
/// The ratio is what to look at: milliseconds are those of this machine.
private func median(_ count: Int, _ work: () async -> UInt64) async -> UInt64 {
    var times: [UInt64] = []
    for _ in 0..<count { times.append(await work()) }
    return times.sorted()[count / 2]
}

private func nanoseconds() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

let scheduler = ManualScheduler()
private let empty = Empty()
let call = await median(2001) {
    let start = nanoseconds()
    await empty.nothing()
    return nanoseconds() - start
}
let start = await median(501) {
    let client = PurchaseClient(
        store: ScriptedStore(), backend: MemoryBackend(scheduler: scheduler), storage: MemoryStorage(),
        scheduler: scheduler)
    let start = nanoseconds()
    client.start()
    let end = nanoseconds()
    await client.stop()
    return end - start
}
let ratio = Double(start) / Double(max(call, 1))
print(
    #"{"benchmark": "client start", "start_ns": \#(start), "empty_actor_call_ns": \#(call), "ratio": \#((ratio * 100).rounded() / 100)}"#
)
