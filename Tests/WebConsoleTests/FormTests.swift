import Foundation
import Synchronization
import Testing
import WebConsole

@Suite("Forms") struct FormTests {
    @Test func `a form is carried out once, and the second time leads where the first did`() {
        let tickets = FormTickets()
        let ticket = tickets.issue(for: "buy")
        #expect(tickets.use(ticket, for: "refund") == .unknown)
        #expect(tickets.use(ticket, for: "buy") == .first)
        #expect(tickets.use(ticket, for: "buy") == .again(nil))
        tickets.finish(ticket, with: PageLink("customers"))
        #expect(tickets.use(ticket, for: "buy") == .again(PageLink("customers")))
        tickets.giveBack(ticket)
        #expect(tickets.use(ticket, for: "buy") == .first)
    }

    @Test func `a ticket that is invented, changed, old or of another process is not known`() {
        let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        let tickets = FormTickets(now: { time.withLock { $0 } })
        let ticket = tickets.issue(for: "a")
        for bad in [nil, "", "1.2.3", ticket + "A", "9" + ticket, String(repeating: "x", count: 9999)] {
            #expect(tickets.use(bad, for: "a") == .unknown)
        }
        #expect(FormTickets().use(ticket, for: "a") == .unknown)
        time.withLock { $0 += 12 * 3600 + 1 }
        #expect(tickets.use(ticket, for: "a") == .unknown)
    }

    @Test func `what was forgotten is refused rather than done twice`() {
        let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        let tickets = FormTickets(capacity: 3, now: { time.withLock { $0 } })
        let issued = (0..<5).map { _ in
            time.withLock { $0 += 1 }
            return tickets.issue(for: "a")
        }
        for ticket in issued { #expect(tickets.use(ticket, for: "a") == .first) }
        for ticket in issued { #expect(tickets.use(ticket, for: "a") != .first) }
    }

    @Test func `fields are read as browsers send them`() throws {
        let fields = try FormFields(encoded: Array("a=1&a=2&b=+x%20%C3%BC+&c=&d&e=%26%3D".utf8))
        #expect(fields["a"] == "2" && fields.all("a") == ["1", "2"])
        #expect(fields["b"] == "x ü" && fields.exact("b") == " x ü ")
        #expect(fields["c"] == nil && fields.contains("d") && fields["e"] == "&=" && !fields.contains("f"))
        for bad in ["a=%", "a=%4", "a=%zz", "a=%ff"] {
            #expect(throws: FormFields.Problem.malformed) { try FormFields(encoded: Array(bad.utf8)) }
        }
        let many = (0...600).map { "n\($0)=1" }.joined(separator: "&")
        #expect(throws: FormFields.Problem.malformed) { try FormFields(encoded: Array(many.utf8)) }
    }
}
