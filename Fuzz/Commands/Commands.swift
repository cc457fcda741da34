import AppStoreModels
import Foundation
import FuzzSupport
import StoreSimulator
import TestSupport

private let stores = [SimulatedStores.new(.production), SimulatedStores.new(.sandbox)]

/// Performs store commands. Each line of the input is a command as JSON, or bytes that generate commands and waiting
/// times.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCommands(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    guard let first = bytes.first else { return 0 }
    var session = Session(store: stores[Int(first & 1)], comparisons: first & 2 == 0 ? 0 : 1)
    for line in bytes.dropFirst().split(separator: 0x0A).prefix(24) {
        if line.first == UInt8(ascii: "{") {
            session.read(Array(line))
        } else {
            var line = ByteReader(bytes: line)
            while !line.isEmpty { session.step(&line) }
        }
    }
    session.finish(isEncoded: first & 4 != 0)
    return 0
}

private struct Session {
    var store: Store
    var now = SimulatedStores.later
    /// The number of refused commands after which the store is compared with its state before. Limited, because
    /// encoding a store is slower than a command.
    private var comparisons: Int
    private var steps = 0

    init(store: Store, comparisons: Int) {
        self.store = store
        self.comparisons = comparisons
    }

    mutating func read(_ json: [UInt8]) {
        let decoder = JSONDecoder()
        if let command = try? decoder.decode(StoreCommand.self, from: Data(json)) {
            let again = Property.success("a decoded command can be encoded and decoded") {
                try decoder.decode(StoreCommand.self, from: JSONEncoder().encode(command))
            }
            Property.require(again == command, "a command changes when it is encoded and decoded")
            perform(command)
        } else if let request = try? decoder.decode(TriggerRequest.self, from: Data(json)) {
            _ = try? store.trigger(request, at: now)
        }
    }

    mutating func step(_ line: inout ByteReader) {
        steps += 1
        guard steps <= 32 else { return line.drain() }
        let byte = line.next()
        if byte >= 0xC0 {
            wait(Double(byte & 0x3F) * [1.0, 3600, 86_400, 86_400][Int(byte >> 4 & 3)])
        } else {
            perform(line.command(byte, in: store))
        }
    }

    private mutating func wait(_ seconds: TimeInterval) {
        now = (now + seconds).wholeMilliseconds
        store.run(until: now)
    }

    private mutating func perform(_ command: StoreCommand) {
        store.run(until: now)
        let before = store
        do throws(StoreError) {
            let outcome = try store.perform(command, at: now)
            if let id = outcome.transactionID {
                Property.require(
                    store.transactions[id] != nil, "the outcome names a transaction that the store does not have")
            }
        } catch {
            Property.require(!error.message.isEmpty, "a command is refused without a reason")
            guard comparisons > 0 else { return }
            comparisons -= 1
            Property.require(store.bytes == before.bytes, "a refused command changes the store: \(command)")
        }
    }

    mutating func finish(isEncoded: Bool) {
        store.run(until: now)
        let wrong = invariantViolations(of: store, at: now)
        Property.require(wrong.isEmpty, "a store is inconsistent: \(wrong.joined(separator: "; "))")
        guard isEncoded else { return }
        let bytes = store.bytes
        let again = Property.success("an encoded store can be decoded") {
            try JSONDecoder().decode(Store.self, from: bytes)
        }
        Property.require(again.bytes == bytes, "a store changes when it is encoded and decoded")
    }
}
