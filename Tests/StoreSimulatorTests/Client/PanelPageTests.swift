import AppStoreModels
import Foundation
import TestSupport
import Testing
import WebConsole

@testable import StoreSimulator

@Suite struct `A page of the simulator's panel` {
    private func html(
        _ simulator: Simulator, _ page: PanelPage, _ query: String = "", status: Int = 200
    ) throws -> String {
        let panel = SimulatorPanel(simulator: simulator, state: PanelState())
        let page = panel.page(
            PanelRequest(page: page, environment: .production, query: try FormFields(encoded: query.utf8)))
        #expect(page.status == status)
        return try #require(page.html)
    }

    @Test func `says what happens next, and when`() async throws {
        try await withSimulator { simulator in
            #expect(try html(simulator, .customers).contains("nothing is planned"))
            simulator.configure { $0.renewalLead = 0 }
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            let page = try html(simulator, .customers)
            #expect(page.contains("com.example.premium.monthly is due for renewal (anna)"))
            #expect(page.contains("2026-01-08T00:00:00"))
            try await simulator.perform(.cancel(customer: "anna"))
            #expect(try html(simulator, .faults).contains("com.example.premium.monthly ends (anna)"))
        }
    }

    @Test func `keeps what is typed into the clock out of what is replaced`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            let page = try html(simulator, .customers, "to=2027-03-01&by=1%20month")
            #expect(page.contains(#"name="to" value="2027-03-01""#) && page.contains(#"value="1 month" selected"#))
            let live = PageLibrary.liveParts(of: page)
            #expect(live.contains("id=\"clock\"") && live.contains("To the next thing"))
            #expect(!live.contains("advance-to") && !live.contains("advance-by"))
        }
    }

    @Test func `decodes a receipt, and shows what a device with a name holds`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.coins.100", device: "phone"))
            let receipt = try html(simulator, .customer("anna"), "text=receipt")
            for text in ["bundle_id", "receipt_creation_date_ms", "com.example.coins.100"] {
                #expect(receipt.contains(text), "\(text)")
            }
            let phone = try html(simulator, .customer("anna"), "device=phone")
            #expect(phone.contains("On this device") && phone.contains("unfinished"))
            #expect(phone.contains("device=phone&amp;text=receipt"))
            #expect(try html(simulator, .customer("anna"), "device=phone&text=app").contains("originalPlatform"))
            #expect(try html(simulator, .customer("anna"), "device=tablet", status: 404).contains("unknown_device"))
        }
    }

    @Test func `signs no text of a device when an open page asks for it again`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.coins.100", device: "phone"))
            for query in ["text=app", "text=receipt", "device=phone"] {
                let page = try html(simulator, .customer("anna"), query)
                let again = try html(simulator, .customer("anna"), query + "&fragment=all")
                #expect(page.contains("id=\"device\"") && !again.contains("id=\"device\""), "\(query)")
                #expect(PageLibrary.liveParts(of: again).contains("id=\"state\""), "\(query)")
            }
        }
    }

    @Test func `does not say that a family member got money back`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.yearly"))
            try await simulator.perform(.shareWithFamily(customer: "anna", member: "ben"))
            try await simulator.perform(.stopSharing(customer: "anna", member: "ben"))
            let page = try html(simulator, .customer("ben"))
            #expect(page.contains(/data-label="Remarks">revoked [^<]*, shared/) && !page.contains("refunded "))
            try await simulator.perform(.approveRefund(customer: "anna"))
            #expect(try html(simulator, .customer("anna")).contains(/data-label="Remarks">refunded \d/))
        }
    }

    @Test func `is asked for again as somebody looks at it, without what was said once`() async throws {
        try await withSimulator { simulator in
            let page = try html(simulator, .notifications, "customer=a+b&page=50&done=x&fragment=all")
            for part in [#"data-here=""#, #"class="refresh" href=""#, #"name="return" value=""#] {
                #expect(page.contains(part + #"/notifications?customer=a%20b&amp;page=50""#), "\(part)")
            }
        }
    }

    @Test func `says that a customer has no notifications, and moves no later part of the list`() async throws {
        try await withSimulator { simulator in
            #expect(try html(simulator, .notifications).contains("No notification yet"))
            let none = try html(simulator, .notifications, "customer=nobody")
            #expect(none.contains("There are no notifications here") && !none.contains("No notification yet"))
            #expect(PageLibrary.liveParts(of: none).contains("id=\"list\""))
            let later = PageLibrary.liveParts(of: try html(simulator, .notifications, "page=50"))
            #expect(later.contains("id=\"clock\"") && !later.contains("id=\"list\""))
        }
    }

    @Test func `says what the customer pays`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(.createCustomer(customer: "gerd", storefront: "DEU"))
            let product = "com.example.premium.monthly"
            let own = try html(simulator, .customer("gerd"))
            #expect(
                own.contains(/com\.example\.premium\.monthly \([\d.]+ EUR, each month\)</) && !own.contains(" USD"))
            #expect(try html(simulator, .customers).contains("\(product) (9.99 USD, each month)"))
            let bought = try await simulator.perform(
                .purchase(customer: "gerd", product: product, introductory: false))
            #expect(bought.transactionID != nil)
            #expect(try html(simulator, .customer("gerd")).contains(/data-label="Price" class="num">[\d.]+ EUR</))
        }
    }

    @Test func `draws a period that was refunded after its end no longer than it was`() async throws {
        try await withSimulator { simulator in
            simulator.configure { $0.renewalLead = 0 }
            let first = try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", introductory: false))
            try await simulator.advance(by: .days(45))
            try await simulator.perform(.approveRefund(customer: "anna", transaction: first.transactionID))
            try expectNoOverlap(of: "refunded", try html(simulator, .customer("anna")))
        }
    }

    @Test func `draws a period that was upgraded up to the upgrade`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.basic.monthly", introductory: false))
            try await simulator.advance(by: .days(10))
            try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.yearly", introductory: false))
            try expectNoOverlap(of: "upgraded", try html(simulator, .customer("anna")))
        }
    }

    /// Expects that the first bar of that look ends before the first paid one begins.
    private func expectNoOverlap(of look: String, _ page: String) throws {
        let bars = page.matches(of: /<rect class="(\w+)" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/)
        let ended = try #require(bars.first { $0.1 == look })
        let next = try #require(bars.first { $0.1 == "paid" })
        let (start, width) = (try #require(Double(ended.2)), try #require(Double(ended.3)))
        let begin = try #require(Double(next.2))
        #expect(start + width <= begin)
    }

    @Test func `says how many of a customer's transactions it does not show`() async throws {
        try await withSimulator { simulator in
            for _ in 0..<500 {
                try await simulator.perform(.purchase(customer: "anna", product: "com.example.coins.100"))
            }
            #expect(try !html(simulator, .customer("anna")).contains("These are the last"))
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.coins.100"))
            #expect(try html(simulator, .customer("anna")).contains("These are the last 500 of 501."))
        }
    }

    @Test func `shows the command that does what the form does, where a field is empty too`() async throws {
        try await withSimulator { simulator in
            let empty = try html(simulator, .settings)
            #expect(empty.contains("{&quot;notificationURL&quot;:null,"))
            simulator.configure { $0.notificationURL = "http://127.0.0.1:9/it's" }
            #expect(
                try html(simulator, .settings).contains(
                    #"&quot;notificationURL&quot;:&quot;http://127.0.0.1:9/it&#39;\&#39;&#39;s&quot;"#))
        }
    }

    @Test func `leads to the beginning of a day`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            let days = try html(simulator, .customer("anna")).matches(of: /to=(\d{4}-\d\d-\d\d)"/).map(\.1)
            #expect(days.count > 5)
            #expect(days.prefix(2).map { String($0) } == ["2026-01-02", "2026-01-03"])
        }
    }

    @Test func `shows the status and the answer of each attempt, also after a snapshot`() async throws {
        let body = Data(("<b>closed</b>" + String(repeating: "x", count: 2000)).utf8)
        let receiver = try TestSupport.LoopbackServer(
            answer: TestSupport.LoopbackServer.answer("503 Service Unavailable", [], body))
        defer { receiver.stop() }
        try await withSimulator { simulator in
            simulator.configure { $0.notificationURL = "http://127.0.0.1:\(receiver.port)/" }
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
            try await simulator.settle()
            try await simulator.snapshot("kept")
            try await simulator.restore("kept")
            let record = try #require(
                simulator.core.read(.production) { store, _ in store.notifications.first })
            let attempt = try #require(record.attempts.first)
            #expect(attempt.status == 503 && attempt.answer?.utf8.count == NotificationAttempt.largestAnswer)
            let page = try html(simulator, .notification(record.uuid))
            #expect(page.contains(">503</td>") && page.contains("&lt;b&gt;closed&lt;/b&gt;"))
        }
    }

    @Test func `reads attempts of older snapshots`() throws {
        let old = SendAttemptItem(attemptDate: Date(timeIntervalSince1970: 1_800_000_000), sendAttemptResult: .timedOut)
        let seconds = Data(#"{"attemptDate":821692800,"sendAttemptResult":"TIMED_OUT"}"#.utf8)
        #expect(try JSONDecoder().decode(NotificationAttempt.self, from: seconds).date == old.attemptDate)
        let attempt = try JSONDecoder().decode(NotificationAttempt.self, from: JSONEncoder().encode(old))
        #expect(attempt.date == old.attemptDate && attempt.result == .timedOut)
        #expect(attempt.status == nil && attempt.answer == nil)
        let new = NotificationAttempt(date: old.attemptDate, result: .success, status: 200, answer: Data("ok".utf8))
        #expect(
            try JSONDecoder().decode(SendAttemptItem.self, from: JSONEncoder().encode(new)).sendAttemptResult
                == .success)
    }
}
