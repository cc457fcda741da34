import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import TestSupport
import Testing
import WebConsole

@Suite(.timeLimit(.minutes(10))) struct `Forms` {
    private static func done(_ status: HTTPResponse.Status = .ok) -> FormTickets.Outcome {
        .done(Response(status: status), later: PageLink("customers"))
    }

    @Test func `A form is carried out once, and a repetition gets the first response for a minute`() async throws {
        let time = Mutex(ContinuousClock.now)
        let tickets = FormTickets(now: { time.withLock { $0 } })
        let ticket = tickets.issue(for: "buy")
        #expect(try await tickets.once(ticket, for: "refund") { Self.done() } == nil)
        #expect(try await tickets.once(ticket, for: "buy") { Self.done(.created) }?.status == .created)
        time.withLock { $0 += .seconds(60) }
        #expect(try await tickets.once(ticket, for: "buy") { Self.done(.conflict) }?.status == .created)
        time.withLock { $0 += .seconds(1) }
        let later = try await tickets.once(ticket, for: "buy") { Self.done(.conflict) }
        #expect(later?.status == .seeOther && later?.headers[.location] == "/customers")
    }

    @Test func `A form that had no effect can be sent again`() async throws {
        let tickets = FormTickets()
        let ticket = tickets.issue(for: "buy")
        let refused = try await tickets.once(ticket, for: "buy") { .notDone(Response(status: .conflict)) }
        #expect(refused?.status == .conflict)
        #expect(try await tickets.once(ticket, for: "buy") { Self.done(.created) }?.status == .created)
    }

    @Test(arguments: [true, false])
    func `A repeated form waits for the response to the first`(isDone: Bool) async throws {
        let tickets = FormTickets()
        let ticket = tickets.issue(for: "buy")
        let (first, second) = (Gate(), Gate())
        let response = Response(status: isDone ? .created : .conflict)
        async let answer = tickets.once(ticket, for: "buy") {
            first.open()
            await second.pass()
            return isDone ? .done(response, later: PageLink()) : .notDone(response)
        }
        await first.pass()
        let again = Task { try await tickets.once(ticket, for: "buy") { Self.done(.badRequest) } }
        let cancelled = Task { try await tickets.once(ticket, for: "buy") { Self.done(.badRequest) } }
        try await waitUntil("two forms wait") { tickets.waiting >= 2 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        second.open()
        #expect(try await answer?.status == response.status)
        #expect(try await again.value?.status == response.status)
    }

    @Test func `A ticket that is invented, changed, expired or of another process is refused`() async throws {
        let time = Mutex(ContinuousClock.now)
        let tickets = FormTickets(now: { time.withLock { $0 } })
        let ticket = tickets.issue(for: "a")
        for bad in [nil, "", "1.2.3", ticket + "A", "9" + ticket, String(repeating: "x", count: 9999)] {
            #expect(try await tickets.once(bad, for: "a") { Self.done() } == nil)
        }
        #expect(try await FormTickets().once(ticket, for: "a") { Self.done() } == nil)
        time.withLock { $0 += .seconds(12 * 3600 + 1) }
        #expect(try await tickets.once(ticket, for: "a") { Self.done() } == nil)
    }

    @Test func `A form whose ticket was evicted is not carried out twice`() async throws {
        let time = Mutex(ContinuousClock.now)
        let tickets = FormTickets(capacity: 3, now: { time.withLock { $0 } })
        let issued = (0..<5).map { _ in
            time.withLock { $0 += .seconds(1) }
            return tickets.issue(for: "a")
        }
        for ticket in issued {
            #expect(try await tickets.once(ticket, for: "a") { Self.done(.created) }?.status == .created)
        }
        for ticket in issued {
            #expect(try await tickets.once(ticket, for: "a") { Self.done(.badRequest) }?.status != .badRequest)
        }
    }

    @Test func `Form fields are decoded as browsers send them`() throws {
        let fields = try FormFields(encoded: Array("a=1&a=2&b=+x%20%C3%BC+&c=&d&e=%26%3D".utf8))
        #expect(fields["a"] == "2")
        #expect(fields["b"] == "x ü" && fields.exact("b") == " x ü ")
        #expect(fields["c"] == nil && fields.contains("d") && fields["e"] == "&=" && !fields.contains("f"))
        for bad in ["a=%", "a=%4", "a=%zz", "a=%ff"] {
            #expect(throws: FormFields.Problem.malformed) { try FormFields(encoded: Array(bad.utf8)) }
        }
        let pairs = try FormFields.pairs(Array("b=1&a=x+y%2B&b=2&c".utf8))
        #expect(pairs.map(\.name) == ["b", "a", "b", "c"] && pairs.map(\.value) == ["1", "x y+", "2", ""])
        let many = (0...600).map { "n\($0)=1" }.joined(separator: "&")
        #expect(throws: FormFields.Problem.malformed) { try FormFields(encoded: Array(many.utf8)) }
    }

    @Test(arguments: ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
    func `A form that is too large has an error of its own, and other errors are rethrown`(
        _ type: String
    ) async throws {
        struct Overloaded: Error {}
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
        head.headerFields[.contentType] = type
        let large = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: "a=12345678")))
        await #expect(throws: FormFields.Problem.tooLarge) { try await FormFields(uploaded: large, upTo: 9) }
        let parts = AsyncThrowingStream<ByteBuffer, any Error> { $0.finish(throwing: Overloaded()) }
        let broken = Request(head: head, body: RequestBody(asyncSequence: parts))
        await #expect(throws: Overloaded.self) { try await FormFields(uploaded: broken, upTo: 9) }
    }

    private static let upload = Data(
        """
        --x\r
        Content-Disposition: form-data; name="text"\r
        \r
        one\r
        two\r
        --x\r
        Content-Disposition: form-data; name="file"; filename="a.bin"\r
        Content-Type: application/octet-stream\r
        \r
        \u{1}\r
        --y\r
        --x\r
        Content-Disposition: form-data; name="none"; filename=""\r
        \r
        \r
        --x--\r

        """.utf8)

    @Test func `A multipart form has its fields and its file`() throws {
        let fields = try FormFields(multipart: Self.upload, boundary: "x")
        #expect(fields.exact("text") == "one\ntwo")
        #expect(fields.file("file") == Data("\u{1}\r\n--y".utf8))
        #expect(fields.file("none") == nil && fields.file("text") == nil && fields["file"] == nil)
    }

    @Test func `A truncated or changed multipart form is refused or parsed without a crash`() async {
        for boundary in ["y", "", "xx"] {
            #expect(throws: FormFields.Problem.malformed) {
                try FormFields(multipart: Self.upload, boundary: boundary)
            }
        }
        for await end in Yielding(0..<Self.upload.count - 4) {
            #expect(throws: FormFields.Problem.malformed) {
                try FormFields(multipart: Self.upload.prefix(end), boundary: "x")
            }
        }
        for await index in Yielding(Self.upload.indices) {
            for byte in [0, 0x0D, 0x0A, 0x2D, 0xFF] as [UInt8] {
                var changed = Self.upload
                changed[index] = byte
                do { _ = try FormFields(multipart: changed, boundary: "x") } catch { #expect(error == .malformed) }
            }
        }
    }
}
