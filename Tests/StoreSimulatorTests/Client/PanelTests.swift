import AppStoreServer
import Basics
import Foundation
import TestSupport
import Testing
import WebConsole

@testable import StoreSimulator

@Suite struct `The simulator's panel` {
    private func fetch(_ simulator: Simulator, _ path: String) async throws -> (
        status: Int, text: String, headers: [String: String]
    ) {
        let base = simulator.information.controlURL.replacing("/simulator", with: "")
        let answer = try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(method: "GET", url: base + path, timeout: .seconds(600)))
        var headers: [String: String] = [:]
        for (name, value) in answer.headers { headers[name.lowercased()] = value }
        return (answer.status, String(decoding: answer.body, as: UTF8.self), headers)
    }

    private func send(
        _ simulator: Simulator, _ form: String, _ fields: String, below folder: String = "/forms/",
        type: String = "application/x-www-form-urlencoded"
    ) async throws -> HTTPTransportResponse {
        let base = simulator.information.controlURL.replacing("/simulator", with: "")
        return try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(
                method: "POST", url: base + folder + form, headers: [("Content-Type", type)],
                body: Data(fields.utf8), timeout: .seconds(600)))
    }

    private static let pages = [
        "/", "/trigger", "/notifications", "/faults", "/catalogue", "/settings", "/snapshots", "/scenarios",
    ]

    @Test func `Every panel page has strict headers and no missing values, with and without data`() async throws {
        try await withSimulator { simulator in
            func check(_ path: String, status: Int = 200) async throws {
                let page = try await fetch(simulator, path)
                #expect(page.status == status, "\(path)")
                #expect(!page.text.contains("⟦"), "\(path)")
                #expect(page.text.split(separator: "<h1").count == 2, "\(path)")
                #expect(page.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
                #expect(page.headers["cache-control"] == "no-store")
                let fragment = try await fetch(simulator, path + (path.contains("?") ? "&" : "?") + "fragment=all")
                #expect(!fragment.text.contains("<html") && fragment.text.contains("id=\"clock\""), "\(path)")
            }
            for page in Self.pages { try await check(page) }
            try await simulator.perform(.purchase(customer: "an<b>na", product: "com.example.premium.monthly"))
            try simulator.add(Fault("notification:*", .drop, probability: 0.1))
            try await simulator.advance(by: Period.month)
            try await simulator.snapshot("x")
            for page in Self.pages { try await check(page) }
            for query in ["", "?text=app", "?text=receipt", "?to=2027-01-01", "?by=1%20year"] {
                try await check("/customers/an%3Cb%3Ena" + query)
            }
            try await check("/customers/nobody", status: 404)
            try await check("/customers/an%3Cb%3Ena?text=1", status: 404)
            try await check("/notifications/nothing", status: 404)
            #expect(try await fetch(simulator, "/nowhere").status == 404)
        }
    }

    @Test func `A panel form is carried out once, and a refused form is shown again with its error`() async throws {
        try await withSimulator { simulator in
            let page = try await fetch(simulator, "/")
            let ticket = try #require(page.text.firstMatch(of: /id="form-buy".*?name="ticket" value="([^"]*)"/)?.1)
            let fields = "ticket=\(ticket)&form=buy&page=/&environment=production&command=purchase&customer=anna"
            let wrong = try await send(simulator, "do", fields + "&product=nothing")
            #expect(wrong.status == 404)
            let text = String(decoding: wrong.body, as: UTF8.self)
            #expect(
                text.contains("unknown_product") && text.contains("<title>Error: ") && text.contains("value=\"anna\""))
            // The page refreshes from the form's page, not from the address that the form was posted to.
            #expect(text.contains(#"data-here="/""#) && text.contains("data-topics=\"simulator\""))
            #expect(simulator.states().isEmpty)
            let done = try await send(simulator, "do", fields + "&product=com.example.premium.monthly")
            #expect(done.status == 303)
            #expect(simulator.states().map(\.customer) == ["anna"])
            _ = try await send(simulator, "do", fields + "&product=com.example.premium.yearly")
            #expect(try simulator.state(of: "anna").subscriptions.map(\.productID) == ["com.example.premium.monthly"])
            #expect(try await send(simulator, "do", fields, type: "text/plain").status == 415)
            #expect(try await send(simulator, "nothing", fields).status == 404)
            #expect(try await send(simulator, "do", "ticket=%zz").status == 400)
        }
    }

    @Test func `The environment of a panel page can be named in either case`() async throws {
        try await withSimulator { simulator in
            for (name, isSandbox) in [("sandbox", true), ("Sandbox", true), ("Production", false)] {
                let page = try await fetch(simulator, "/?environment=\(name)").text
                #expect(page.contains(">SANDBOX<") == isSandbox, "\(name)")
            }
        }
    }

    @Test func `The appearance can be chosen on a page with a long address`() async throws {
        try await withSimulator { simulator in
            let page = "/notifications?customer=" + String(repeating: "%5B", count: 1000)
            let fields = "theme=dark&return=\(page.percentEncoded)"
            let answer = try await send(simulator, "theme", fields, below: "/")
            #expect(answer.status == 303 && answer.header("location") == page)
        }
    }

    @Test func `The embedded panel templates equal the files in the folder and pass the audit`() throws {
        let audit = try TemplateAudit(SimulatorPages.files)
        #expect(audit.problems.isEmpty, "\(audit.problems.sorted())")
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/StoreSimulator/Console/Templates")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == Set(SimulatorPages.files.keys.map { $0 + ".mustache" }))
        for (name, text) in SimulatorPages.files {
            let file = try String(contentsOf: folder.appending(path: name + ".mustache"), encoding: .utf8)
            #expect(file == text, "\(name)")
        }
    }
}
