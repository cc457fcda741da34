import AppStoreModels
import Basics
import Foundation
import TestSupport
import Testing
import WebConsole

@testable import StoreSimulator

@Suite struct `The templates of the simulator's panel` {
    private func request(
        _ page: PanelPage, _ query: [(String, String)] = [], formFailure: PanelRequest.FormFailure? = nil
    ) throws -> PanelRequest {
        let text = query.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }.joined(separator: "&")
        return PanelRequest(
            page: page, environment: .production, query: try FormFields(encoded: text.utf8), formFailure: formFailure)
    }

    /// Renders every page in every state.
    @Test(.timeLimit(.minutes(10))) func `Every name in a panel template has a value, and every value is used`()
        async throws
    {
        try await withSimulator { simulator in
            let panel = SimulatorPanel(simulator: simulator, state: PanelState())
            var audit = try TemplateAudit(SimulatorPages.files)
            func show(_ page: PanelPage, _ query: [(String, String)] = [], status: Int = 200) throws {
                let page = panel.page(try request(page, query))
                #expect(page.status == status, "\(page.template)")
                audit.render(page.template, page.values, in: page.shell)
            }
            func showAll() throws { for (page, _, _) in PanelPage.main { try show(page) } }
            try showAll()
            try show(.customer("nobody"), status: 404)
            try await populate(simulator)
            try showAll()
            let customer = PanelPage.customer("anna")
            try show(customer)
            let id = try #require(try simulator.state(of: "anna").purchases.first?.transactionID)
            for text in ["app", "receipt", id] {
                try show(customer, [("text", text)])
                try show(customer, [("device", "phone"), ("text", text)])
            }
            try show(.customer("ben"))
            try show(customer, [("device", "none")], status: 404)
            try show(.notifications, [("page", "1")])
            try show(.customers, [("page", "500")])
            let uuid = try #require(
                simulator.core.read(.production) { store, _ in store.notifications.first { !$0.attempts.isEmpty }?.uuid
                })
            try show(.notification(uuid))
            // A refused form, a confirmation and a scenario report.
            let fields = try FormFields(encoded: "json=x&customer=&to=x".utf8)
            for (page, form, param) in [(PanelPage.catalogue, "catalogue", "json"), (.customers, "buy", "customer")] {
                let failure = ControlFailure(400, "invalid_request", "no", param: param)
                let refused = panel.page(
                    try request(page, formFailure: .init(form: form, fields: fields, failure: failure)))
                #expect(refused.status == 400)
                audit.render(refused.template, refused.values, in: refused.shell)
            }
            for word in ["reset", nil] {
                let question = PanelAction.ConfirmationPrompt(
                    heading: "Sure?", consequences: ["All is lost."], button: "Yes", typedWord: word)
                let page = panel.confirmation(question, action: "reset", fields, try request(.snapshots))
                audit.render(page.template, page.values, in: page.shell)
            }
            let report = try await simulator.run(try #require(try ShippedScenarios.scenario("refund")))
            try show(.scenarios, [("report", panel.state.store(report: report))])
            try await whileAdvancing(simulator) { try showAll() }
            #expect(audit.complete().isEmpty, "\(audit.complete())")
        }
    }

    private func populate(_ simulator: Simulator) async throws {
        try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
        try await simulator.perform(.purchase(customer: "anna", product: "com.example.unlock", device: "phone"))
        try await simulator.perform(.shareWithFamily(customer: "anna", member: "ben"))
        for index in 0..<60 {
            try await simulator.perform(.purchase(customer: "c\(index)", product: "com.example.unlock"))
        }
        try simulator.add(Fault("notification:*", .drop, probability: 0.1))
        simulator.configure { $0.notificationURL = simulator.information.controlURL }
        try await simulator.advance(by: Period.month)
        try await simulator.snapshot("x")
    }

    /// Calls `body` while the clock advances, delayed by a slow notification.
    private func whileAdvancing(_ simulator: Simulator, _ body: () throws -> Void) async throws {
        try simulator.removeFault()
        try simulator.add(Fault("notification:*", .delay(seconds: 3600)))
        let advance = try simulator.core.beginAdvance(to: simulator.now + 366 * 86_400)
        #expect(advance.state == .advancing)
        try body()
        simulator.core.advances.cancel(advance.id)
        try simulator.removeFault()
    }
}
