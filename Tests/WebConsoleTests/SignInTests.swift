import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing
import WebConsole

@Suite struct `Sign-in` {
    private final class Clock: Sendable {
        private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        private let elapsed = Mutex(ContinuousClock.now)
        var now: Date { date.withLock { $0 } }
        /// The reading of a clock that only moves forward.
        var instant: ContinuousClock.Instant { elapsed.withLock { $0 } }
        func advance(by seconds: TimeInterval) {
            date.withLock { $0 += seconds }
            elapsed.withLock { $0 += .seconds(max(0, seconds)) }
        }
    }

    @Test func `A session ends by age, by idle time, with its key and by sign-out`() {
        let clock = Clock()
        let store = SessionStore(now: { clock.now })
        let (token, session) = store.start(key: "ada", digest: Data([1]), address: "127.0.0.1")
        #expect(token.utf8.count == 43 && session.id.count == 8 && !token.contains(session.id))
        #expect(store.session(token)?.key == "ada")
        for bad in [nil, "", token + "x", String(token.reversed())] { #expect(store.session(bad) == nil) }
        clock.advance(by: 3599)
        #expect(store.session(token) != nil)
        clock.advance(by: 3600)
        #expect(store.session(token) == nil)

        let second = store.start(key: "ada", digest: Data([1]), address: "").token
        for _ in 0..<23 {
            clock.advance(by: 1800)
            #expect(store.session(second) != nil)
        }
        clock.advance(by: 1800)
        #expect(store.session(second) == nil)

        let (third, fourth) = (
            store.start(key: "ada", digest: Data([1]), address: ""),
            store.start(key: "ben", digest: Data([2]), address: "")
        )
        #expect(store.end { $0.key == "ada" } == 1)
        #expect(store.session(third.token) == nil && store.session(fourth.token) != nil)
        store.end(fourth.token)
        #expect(store.session(fourth.token) == nil && store.open.isEmpty)
    }

    @Test func `Automatic requests of an open page do not keep a session open`() {
        let clock = Clock()
        let store = SessionStore(now: { clock.now })
        let token = store.start(key: "ada", digest: Data([1]), address: "").token
        clock.advance(by: 3000)
        #expect(store.session(token, countsAsUse: false)?.keyDigest == Data([1]))
        clock.advance(by: 601)
        #expect(store.session(token, countsAsUse: false) == nil && store.session(token) == nil)
    }

    @Test func `The session that was idle longest is evicted when the store is full`() {
        let clock = Clock()
        let store = SessionStore(capacity: 2, now: { clock.now })
        let tokens = (0..<3).map { _ in
            clock.advance(by: 1)
            return store.start(key: "k", digest: Data(), address: "").token
        }
        #expect(tokens.map { store.session($0) != nil } == [false, true, true])
    }

    @Test func `A sign-in link works once within two minutes, and checking it does not use it up`() {
        let clock = Clock()
        let links = SignInLinks(secret: Array("secret".utf8))
        let registry = SignInRegistry(links, now: { clock.now })
        let token = links.token(for: "ada ü", now: clock.now)
        #expect(registry.isValid(token) && registry.isValid(token))
        #expect(registry.redeem(token) == "ada ü")
        #expect(registry.redeem(token) == nil && !registry.isValid(token))

        let late = links.token(for: "ada", now: clock.now)
        clock.advance(by: 121)
        #expect(registry.redeem(late) == nil)
        let early = links.token(for: "ada", now: clock.now + 60)
        #expect(registry.redeem(early) == nil)
        let other = SignInLinks(secret: Array("other".utf8)).token(for: "ada", now: clock.now)
        let fresh = links.token(for: "ada", now: clock.now)
        for bad in [other, "", "...", fresh + "A", "A" + fresh, fresh.replacing(".", with: "")] {
            #expect(registry.redeem(bad) == nil)
        }
        // After a restart, used links are unknown, so older links are refused.
        clock.advance(by: 60)
        #expect(SignInRegistry(links, now: { clock.now }).redeem(fresh) == nil)
        #expect(registry.redeem(fresh) == "ada")
    }

    /// All links were refused until the clock had caught up, a year later.
    @Test func `A sign-in link works after the clock was set back to before the start`() {
        let clock = Clock()
        let links = SignInLinks(secret: Array("secret".utf8))
        let registry = SignInRegistry(links, now: { clock.now })
        clock.advance(by: -365 * 86_400)
        let token = links.token(for: "ada", now: clock.now)
        #expect(registry.redeem(token) == "ada")
        #expect(registry.redeem(token) == nil)
    }

    @Test func `A used sign-in link stays used after the clock has jumped forward and back`() {
        let clock = Clock()
        let links = SignInLinks(secret: Array("secret".utf8))
        let registry = SignInRegistry(links, now: { clock.now })
        let token = links.token(for: "ada", now: clock.now)
        #expect(registry.redeem(token) == "ada")
        clock.advance(by: 86_400)
        #expect(registry.redeem(links.token(for: "ben", now: clock.now)) == "ben")
        clock.advance(by: -86_400)
        #expect(registry.redeem(token) == nil && !registry.isValid(token))
        #expect(registry.redeem(links.token(for: "ada", now: clock.now)) == "ada")
    }

    @Test func `Only one of many concurrent redemptions of a sign-in link succeeds`() async {
        let links = SignInLinks(secret: Array("secret".utf8))
        let clock = Clock()
        let registry = SignInRegistry(links, now: { clock.now })
        let token = links.token(for: "ada", now: clock.now)
        let count = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 { group.addTask { registry.redeem(token) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(count == 1)
    }

    @Test func `An address is blocked for a minute after five failures`() {
        let clock = Clock()
        let limit = FailureLimit(capacity: 10, now: { clock.instant })
        for _ in 0..<5 {
            #expect(limit.wait(of: "2001:db8::1") == nil)
            limit.recordFailure(of: "2001:db8::1")
        }
        #expect(limit.wait(of: "2001:db8::ffff") == 60 && limit.wait(of: "2001:db8:1::1") == nil)
        clock.advance(by: 45)
        #expect(limit.wait(of: "2001:db8::1") == 15)
        clock.advance(by: 15)
        #expect(limit.wait(of: "2001:db8::1") == nil)
    }

    @Test func `The failures of the addresses that failed last are kept if too many addresses fail`() {
        let clock = Clock()
        let limit = FailureLimit(capacity: 10, now: { clock.instant })
        func fail(_ address: String) {
            clock.advance(by: 0.1)
            for _ in 0..<5 { limit.recordFailure(of: address) }
        }
        for index in 1...100 { fail("192.0.2.\(index)") }
        let blocked = (1...100).filter { limit.wait(of: "192.0.2.\($0)") != nil }
        #expect(blocked == Array(91...100))
    }

    /// Otherwise a session would last as long as the clock was set back.
    @Test func `A session ends if the clock is set back by more than a minute`() {
        let clock = Clock()
        let store = SessionStore(now: { clock.now })
        let token = store.start(key: "ada", digest: Data([1]), address: "").token
        clock.advance(by: -60)
        #expect(store.session(token) != nil && store.open.count == 1)
        clock.advance(by: -1)
        #expect(store.open.isEmpty && store.session(token) == nil)
    }

    /// A session that was used last at a later date than the clock shows would have had that much more idle time.
    @Test func `A session in use ends if the clock is set back to a date after its start`() {
        let clock = Clock()
        let store = SessionStore(now: { clock.now })
        let token = store.start(key: "ada", digest: Data([1]), address: "").token
        clock.advance(by: 3000)
        #expect(store.session(token) != nil)
        clock.advance(by: -60)
        #expect(store.session(token, countsAsUse: false) != nil)
        clock.advance(by: -1)
        #expect(store.open.isEmpty && store.session(token) == nil)
    }

    @Test func `The session cookie is out of reach of scripts and other hosts`() {
        let secure = ConsoleCookies.startSession("t", isSecure: true)
        #expect(secure == "__Host-counterfoil=t; Secure; Path=/; HttpOnly; SameSite=Lax")
        #expect(ConsoleCookies.startSession("t", isSecure: false) == "counterfoil=t; Path=/; HttpOnly; SameSite=Lax")
        func request(_ cookie: String) -> Request {
            Request(
                head: HTTPRequest(
                    method: .get, scheme: nil, authority: nil, path: "/", headerFields: [.cookie: cookie]),
                body: RequestBody(buffer: ByteBuffer()))
        }
        #expect(ConsoleCookies.session(of: request("a=b; counterfoil=x=y"), isSecure: false) == "x=y")
        #expect(ConsoleCookies.session(of: request("counterfoil=x"), isSecure: true) == nil)
        // A planted cookie beside the genuine one.
        #expect(ConsoleCookies.session(of: request("counterfoil=x; counterfoil=y"), isSecure: false) == nil)
        #expect(ConsoleCookies.theme(of: request("counterfoil-theme=dark")) == .dark)
        #expect(ConsoleCookies.theme(of: request("counterfoil-theme=\"><b>")) == nil)
    }
}
