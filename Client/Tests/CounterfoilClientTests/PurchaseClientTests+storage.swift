import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

// What the client saves, and what it does if it cannot.
extension `The client drives store, server and storage` {
    @Test func `After a restart the cached answer is shown before the server's`() async throws {
        let storage = MemoryStorage()
        let first = await RunningApp(storage: storage)
        await first.store.add(subscription(), reportsUpdate: false)
        first.client.start()
        try first.client.signIn(anna, token: "token")
        _ = await first.waitForCustomer { $0.isActive("pro") && $0.source == .server }
        await first.client.stop()
        let second = await RunningApp(storage: storage, faults: [.hang])
        second.client.start()
        let customer = await second.waitForCustomer { $0.isActive("pro") }
        #expect(customer?.source == .cache && customer?.readiness == .ready)
        await second.client.stop()
    }

    @Test func `A storage that cannot be read yet is read again, and is not overwritten`() async throws {
        var device = DeviceRecord()
        device.delivered = [7]
        let storage = LockedStorage(["device": try JSONEncoder().encode(device)])
        let notices = AsyncStream.makeStream(of: ClientNotice.self)
        let app = await RunningApp(storage: storage) { $0.onNotice = { notices.continuation.yield($0) } }
        app.client.start()
        try app.client.signIn(anna, token: "token")
        for refusals in 1...3 {
            await app.until { await app.scheduler.nextWake == 1 }
            #expect(await storage.refusals == refusals)
            let isLocked = PurchaseClientError(.storageFailed, "IsLocked()")
            await #expect(throws: isLocked) { try await app.client.buy("coins") }
            await #expect(throws: isLocked) { try await app.client.restore() }
            if refusals == 3 { await storage.unlock() }
            await app.scheduler.advance(by: 1)
        }
        #expect(await app.waitForCustomer { $0.id == anna && $0.readiness == .ready } != nil)
        #expect(await app.store.purchases.isEmpty)
        #expect(await app.store.synced == 0)
        #expect(try await app.client.buy("coins") == .cancelled)
        let saved = try #require(try await storage.load("device"))
        let record = try JSONDecoder().decode(DeviceRecord.self, from: saved)
        #expect(record.customer == anna && record.delivered == [7])
        notices.continuation.finish()
        var received: [ClientNotice] = []
        for await notice in notices.stream { received.append(notice) }
        #expect(received == [.storage("IsLocked()")])
    }

    @Test func `A call that waits while the storage cannot be read fails, and begins nothing later`() async throws {
        let storage = LockedStorage([:])
        let app = await RunningApp(storage: storage)
        try app.client.signIn(anna, token: "token")
        let buying = Task { try await app.client.buy("coins") }
        let restoring = Task { try await app.client.restore() }
        // Give both calls the time to wait for the start. Later calls fail, too.
        for _ in 0..<1000 { _ = await app.client.current }
        app.client.start()
        let isLocked = PurchaseClientError(.storageFailed, "IsLocked()")
        await #expect(throws: isLocked) { try await buying.value }
        await #expect(throws: isLocked) { try await restoring.value }
        await app.until { await app.scheduler.nextWake == 1 }
        await storage.unlock()
        await app.scheduler.advance(by: 1)
        #expect(await app.waitForCustomer { $0.id == anna && $0.source == .server } != nil)
        #expect(await app.store.purchases.isEmpty)
        #expect(await app.store.synced == 0)
    }

    @Test func `A failed save is repeated at the next event, so that a sign-out persists`() async throws {
        let storage = FullStorage()
        let notices = AsyncStream.makeStream(of: ClientNotice.self)
        let app = await RunningApp(storage: storage) { $0.onNotice = { notices.continuation.yield($0) } }
        app.client.start()
        try app.client.signIn(anna, token: "token")
        _ = await app.waitForCustomer { $0.id == anna && $0.source == .server }
        let before = try #require(await storage.load("device"))
        await storage.fill()
        app.client.signOut()
        var received = notices.stream.makeAsyncIterator()
        #expect(await received.next() == .storage("IsFull()"))
        await storage.makeRoom()
        app.client.enterForeground()
        await app.until { await storage.load("device") != before }
        let saved = try #require(await storage.load("device"))
        #expect(try JSONDecoder().decode(DeviceRecord.self, from: saved).customer == nil)
        await app.until { await storage.load("customer") == nil }
        #expect(await storage.load("customer") == nil)
    }

    @Test func `While the storage is full, the app is notified once of each record`() async throws {
        let storage = FullStorage()
        let notices = AsyncStream.makeStream(of: ClientNotice.self)
        let app = await RunningApp(storage: storage) { $0.onNotice = { notices.continuation.yield($0) } }
        app.client.start()
        await storage.fill()
        for customer in [anna, bert, anna] {
            try app.client.signIn(customer, token: "token")
            #expect(await app.waitForCustomer { $0.id == customer && $0.source == .server } != nil)
        }
        notices.continuation.finish()
        var received: [ClientNotice] = []
        for await notice in notices.stream { received.append(notice) }
        #expect(received == [.storage("IsFull()"), .storage("IsFull()")])
    }

    @Test func `Undecodable storage counts as empty, and the app is notified`() async throws {
        let storage = MemoryStorage()
        await storage.save(Data("{".utf8), as: "device")
        let notices = AsyncStream.makeStream(of: ClientNotice.self)
        let app = await RunningApp(storage: storage) { $0.onNotice = { notices.continuation.yield($0) } }
        app.client.start()
        var received = notices.stream.makeAsyncIterator()
        let notice = await received.next()
        guard case .storage? = notice else {
            Issue.record("\(String(describing: notice))")
            return
        }
        try app.client.signIn(anna, token: "token")
        #expect(await app.waitForCustomer { $0.id == anna && $0.readiness == .ready } != nil)
    }
}
