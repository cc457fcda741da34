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

    @Test func `The panel shows the next scheduled event and its time`() async throws {
        try await withSimulator { simulator in
            #expect(try html(simulator, .customers).contains("no event is scheduled"))
            simulator.configure { $0.maximumRenewalLeadTime = 0 }
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            let page = try html(simulator, .customers)
            #expect(page.contains("com.example.premium.monthly is due for renewal (anna)"))
            #expect(page.contains("2026-01-08T00:00:00"))
            try await simulator.perform(.cancel(customer: "anna"))
            #expect(try html(simulator, .faults).contains("com.example.premium.monthly ends (anna)"))
        }
    }

    @Test func `The input fields of the clock are outside the live parts of the page`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            let page = try html(simulator, .customers, "to=2027-03-01&by=1%20month")
            #expect(page.contains(#"name="to" value="2027-03-01""#) && page.contains(#"value="1 month" selected"#))
            let live = PageLibrary.liveParts(of: page)
            #expect(live.contains("id=\"clock\"") && live.contains("To the next event"))
            #expect(!live.contains("advance-to") && !live.contains("advance-by"))
        }
    }

    @Test func `A customer page shows the decoded receipt and the contents of a named device`() async throws {
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
            let missing = try html(simulator, .customer("anna"), "device=tablet", status: 404)
            #expect(missing.contains("unknown_device") && !missing.contains("Customer not found"))
            #expect(try html(simulator, .customer("ben"), status: 404).contains("Customer not found"))
        }
    }

    @Test func `A refreshed page fragment leaves out the signed texts of a device`() async throws {
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

    @Test func `A family member's revoked purchase is not shown as refunded`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.yearly"))
            try await simulator.perform(.shareWithFamily(customer: "anna", member: "ben"))
            try await simulator.perform(.stopSharing(customer: "anna", member: "ben"))
            let page = try html(simulator, .customer("ben"))
            #expect(page.contains(/data-label="Remarks">revoked [^<]*, shared/) && !page.contains("refunded "))
            // The access ended with the revocation, not in a year.
            #expect(page.contains(/data-label="Until"><time [^>]*>[^<]*<\/time> <span class="soft">now</))
            try await simulator.perform(.approveRefund(customer: "anna"))
            #expect(try html(simulator, .customer("anna")).contains(/data-label="Remarks">refunded \d/))
        }
    }

    @Test func `A period that a family shares is shown as paid, not as a trial`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.yearly"))
            try await simulator.perform(.shareWithFamily(customer: "anna", member: "ben"))
            let page = try html(simulator, .customer("ben"))
            #expect(page.contains(TimeBars.Kind.paid.rawValue) && !page.contains(TimeBars.Kind.trial.rawValue))
        }
    }

    @Test func `The refresh and return addresses keep filter and page, without one-time parameters`() async throws {
        try await withSimulator { simulator in
            let page = try html(simulator, .notifications, "customer=a+b&page=50&done=x&fragment=all")
            for part in [#"data-here=""#, #"class="refresh" href=""#, #"name="return" value=""#] {
                #expect(page.contains(part + #"/notifications?customer=a%20b&amp;page=50""#), "\(part)")
            }
        }
    }

    @Test func `An empty filtered list has its own message, and later pages of the list are not live`() async throws {
        try await withSimulator { simulator in
            #expect(try html(simulator, .notifications).contains("No notifications yet"))
            let none = try html(simulator, .notifications, "customer=nobody")
            #expect(none.contains("No notification matches") && !none.contains("No notifications yet"))
            #expect(PageLibrary.liveParts(of: none).contains("id=\"list\""))
            let later = PageLibrary.liveParts(of: try html(simulator, .notifications, "page=50"))
            #expect(later.contains("id=\"clock\"") && !later.contains("id=\"list\""))
        }
    }

    @Test func `A page after the end of the customers says so and leads to the first one`() async throws {
        try await withSimulator { simulator in
            #expect(try html(simulator, .customers).contains("No customers yet"))
            try await simulator.perform(.createCustomer(customer: "anna"))
            let late = try html(simulator, .customers, "page=500")
            #expect(late.contains("The list ends before this page.") && !late.contains("No customers yet"))
            #expect(late.contains(/href="[^"]*page=0[^"]*" rel="prev"/))
        }
    }

    @Test func `The list of customers continues on its next page`() async throws {
        try await withSimulator { simulator in
            for number in 100...150 { try await simulator.perform(.createCustomer(customer: "customer-\(number)")) }
            let first = try html(simulator, .customers)
            #expect(first.contains("customer-149") && !first.contains("customer-150"))
            #expect(first.contains(/href="[^"]*page=50[^"]*" rel="next"/))
            let second = try html(simulator, .customers, "page=50")
            #expect(second.contains("customer-150") && !second.contains("customer-149"))
        }
    }

    @Test func `The list of triggers describes each notification without placeholders`() async throws {
        try await withSimulator { simulator in
            let page = try html(simulator, .trigger)
            let meanings = page.matches(of: /data-label="Meaning">([^<]*)</).map(\.1)
            #expect(meanings.count == NotificationKind.all.count)
            #expect(meanings.contains("Subscribed to the product."))
            #expect(meanings.contains("Will change to another product."))
            #expect(!meanings.contains { $0.isEmpty || $0.contains { "[]{}".contains($0) } })
            // Each one is a sentence, not the name of an event.
            #expect(meanings.allSatisfy { $0.first?.isUppercase == true && $0.hasSuffix(".") && !$0.contains("_") })
        }
    }

    @Test func `A customer page shows prices in the currency of the customer's storefront`() async throws {
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

    @Test func `The timeline does not extend a period that was refunded after its end`() async throws {
        try await withSimulator { simulator in
            simulator.configure { $0.maximumRenewalLeadTime = 0 }
            let first = try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", introductory: false))
            try await simulator.advance(by: .days(45))
            try await simulator.perform(.approveRefund(customer: "anna", transaction: first.transactionID))
            try expectNoOverlap(of: "refunded", try html(simulator, .customer("anna")))
        }
    }

    @Test func `The timeline ends an upgraded period at the upgrade`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.basic.monthly", introductory: false))
            try await simulator.advance(by: .days(10))
            try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.yearly", introductory: false))
            try expectNoOverlap(of: "upgraded", try html(simulator, .customer("anna")))
        }
    }

    @Test func `The timeline ends a period at an upgrade also if the next renewal was charged`() async throws {
        try await withSimulator { simulator in
            simulator.configure { $0.maximumRenewalLeadTime = 10 * 86_400 }
            try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.basic.monthly", introductory: false))
            let bought = simulator.core.read(.production) { store, _ in store.transactions(of: "anna").last }
            let end = try #require(bought?.payload.expiresDate)
            // The renewal is charged one to ten days before the period ends.
            try await simulator.advance(to: end - 86_400)
            try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", introductory: false))
            let page = try html(simulator, .customer("anna"))
            try #require(page.matches(of: /<rect class="upgraded"/).count == 2)
            try expectNoOverlap(of: "upgraded", page)
        }
    }

    /// Expects that the first bar of this CSS class ends before the first bar of the class `paid` begins.
    private func expectNoOverlap(of cssClass: String, _ page: String) throws {
        let bars = page.matches(of: /<rect class="(\w+)" x="([\d.]+)%" y="[\d.]+" width="([\d.]+)%"/)
        let ended = try #require(bars.first { $0.1 == cssClass })
        let next = try #require(bars.first { $0.1 == "paid" })
        let (start, width) = (try #require(Double(ended.2)), try #require(Double(ended.3)))
        let begin = try #require(Double(next.2))
        #expect(start + width <= begin)
    }

    @Test func `A customer page says so when it shows only the last 500 transactions`() async throws {
        try await withSimulator { simulator in
            for _ in 0..<500 {
                try await simulator.perform(.purchase(customer: "anna", product: "com.example.coins.100"))
            }
            #expect(try !html(simulator, .customer("anna")).contains("These are the last"))
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.coins.100"))
            #expect(try html(simulator, .customer("anna")).contains("These are the last 500 of 501."))
        }
    }

    @Test func `The settings page shows the equivalent command, also when the URL is empty`() async throws {
        try await withSimulator { simulator in
            let empty = try html(simulator, .settings)
            #expect(empty.contains("{&quot;notificationURL&quot;:null,"))
            simulator.configure { $0.notificationURL = "http://127.0.0.1:9/it's" }
            #expect(
                try html(simulator, .settings).contains(
                    #"&quot;notificationURL&quot;:&quot;http://127.0.0.1:9/it&#39;\&#39;&#39;s&quot;"#))
        }
    }

    @Test func `Settings and faults have their lengths in words`() async throws {
        try await withSimulator { simulator in
            simulator.configure { $0.consumptionWindow = 12 * 3600 }
            #expect(try html(simulator, .settings).contains("<span class=\"hint\">Now 12 hours</span>"))
            // Words in seconds would repeat the field.
            simulator.configure { $0.consumptionWindow = 100 }
            #expect(try !html(simulator, .settings).contains("Now 100"))
            try simulator.add(Fault("notification:*", .delay(seconds: 2700)))
            try simulator.add(Fault("notification:*", .clockSkew(seconds: -2)))
            try simulator.add(Fault("route:*", .status(code: 500)))
            let faults = try html(simulator, .faults)
            for text in ["delay 45 minutes", "clockSkew -2 seconds", "status 500"] {
                #expect(faults.contains(">\(text)<"), "\(text)")
            }
        }
    }

    @Test func `The timeline links to the start of each day`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            let page = try html(simulator, .customer("anna"))
            // A click only enters the day.
            #expect(page.contains("<title>Enter 2026-01-02 above</title>") && page.contains("then choose Go"))
            let days = page.matches(of: /to=(\d{4}-\d\d-\d\d)"/).map(\.1)
            #expect(days.count > 5)
            #expect(days.prefix(2).map { String($0) } == ["2026-01-02", "2026-01-03"])
        }
    }

    @Test func `A notification page shows status and response of an attempt, also after a snapshot`() async throws {
        let body = Data(("<b>closed</b>" + String(repeating: "x", count: 2000)).utf8)
        let receiver = try LoopbackServer(answer: LoopbackServer.answer("503 Service Unavailable", [], body))
        defer { receiver.stop() }
        try await withSimulator { simulator in
            simulator.configure { $0.notificationURL = "http://127.0.0.1:\(receiver.port)/" }
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
            try await simulator.processDueEvents()
            try await simulator.snapshot("kept")
            try await simulator.restore("kept")
            let record = try #require(
                simulator.core.read(.production) { store, _ in store.notifications.first })
            let attempt = try #require(record.attempts.first)
            #expect(attempt.status == 503 && attempt.answer?.utf8.count == NotificationAttempt.maximumAnswerSize)
            let page = try html(simulator, .notification(record.uuid))
            #expect(page.contains(">503</td>") && page.contains("&lt;b&gt;closed&lt;/b&gt;"))
        }
    }

    @Test(arguments: ["1\u{662}", "\u{663}", "1,5", "12x"])
    func `A number in a form has the digits 0 to 9 only`(_ text: String) throws {
        let fields = try FormFields(encoded: "price=\(text)&days=9.99".utf8)
        let failure = #expect(throws: ControlFailure.self) { try fields.number("price", "The price") }
        #expect(failure?.param == "price")
        #expect(try fields.number("days", "The days") == Decimal(999) / 100)
    }
}
