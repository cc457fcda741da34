import AppStoreModels
import CoreMetrics
import CounterfoilServer
import Foundation
import Ledger
import NIOHTTP1
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import LedgerServices

@Suite struct `Metrics` {
    @Test func `The metrics route counts notifications and requests in the Prometheus format`() async throws {
        try await World.run(server: { $0.listen.metrics = .local }) { world async throws in
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", appAccountToken: AppAccountToken(UUID())))
            try await world.waitUntilIdle()
            _ = try await world.request(.POST, "/apple/notifications", body: #"{"signedPayload":"a.b.c"}"#)
            _ = try await world.request(.POST, "/apple/notifications", body: "[]")
            _ = try await world.request("/v1/customers/a-person")
            _ = try await world.request("/nothing/a-person")
            try world.server.core.metrics.addGauge(.init("counterfoil_figure_of_somebody_else", .gauge)) {
                [([("app", "a\"\\\nb")], 1.5)]
            }
            let answer = try await world.request("/metrics")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == ["text/plain; version=0.0.4; charset=utf-8"])
            let lines = answer.text.split(separator: "\n").map(String.init)
            for line in [
                #"counterfoil_notifications_total{result="kept",code=""} 1"#,
                #"counterfoil_notifications_total{result="duplicate",code=""} 0"#,
                #"counterfoil_notifications_total{result="refused",code="bad_json"} 1"#,
                "counterfoil_acknowledgement_duration_seconds_count 1", "counterfoil_commit_notifications_sum 1",
                #"counterfoil_commit_notifications_bucket{le="1"} 1"#, "counterfoil_processing_lag_seconds_count 1",
                "counterfoil_inbox_backlog 0", "counterfoil_inbox_oldest_age_seconds 0",
                #"counterfoil_figure_of_somebody_else{app="a\"\\\nb"} 1.5"#,
                #"counterfoil_http_requests_total{route="/apple/notifications",method="POST",status="200"} 1"#,
                #"counterfoil_http_requests_total{route="/apple/notifications",method="POST",status="400"} 2"#,
                #"counterfoil_http_requests_total{route="/v1/customers/{id}",method="GET",status="401"} 1"#,
                #"counterfoil_http_requests_total{route="none",method="GET",status="404"} 1"#,
                "counterfoil_http_requests_under_way 1",
            ] { #expect(lines.contains(line), "\(line)") }
            #expect(!answer.text.contains("a-person"))
            let started = lines.first { $0.hasPrefix("process_start_time_seconds ") }?.split(separator: " ").last
            #expect(abs(Date().timeIntervalSince1970 - (started.flatMap { Double($0) } ?? 0)) < 86_400)
            #expect(lines.contains { $0.hasPrefix("process_resident_memory_bytes ") })
            let hasLog = try world.server.core.storage.logBytes != nil
            #expect(lines.contains { $0.hasPrefix("counterfoil_ledger_log_bytes ") } == hasLog)
            Self.checkFormat(lines)
        }
    }

    @Test func `The documentation lists exactly the metrics that the server has`() async throws {
        try await World.run(server: { $0.listen.metrics = .local }) { world async throws in
            let printed = try await world.request("/metrics").text.split(separator: "\n")
                .filter { $0.hasPrefix("# TYPE ") }.compactMap { $0.split(separator: " ").dropFirst(2).first }
            let text = try Fixtures.file("docs/operations-monitoring.md")
            let documented = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
                .flatMap { $0.split(separator: "|").first?.split(separator: "`") ?? [] }
                .compactMap { $0.split(separator: "{").first }
                .filter { $0.hasPrefix("counterfoil_") || $0.hasPrefix("process_") }
            #expect(documented.count == Set(documented).count)
            #expect(Set(documented.map(String.init)) == Set(printed.map(String.init)))
        }
    }

    @Test func `The metrics route needs an operator key, or a local client if that is configured`() async throws {
        let keys = ["operator", "stranger"].map { ($0, APIKeyText.make()) }
        let isLocal = Mutex(false)
        try await World.run(
            server: { configuration in
                if isLocal.withLock(\.self) { configuration.listen.metrics = .local }
                configuration.keys = keys.map { name, text in
                    .init(
                        name: name, hash: APIKeyText.hash(of: text),
                        scopes: name == "operator" ? [.operationsRead] : [.customersRead])
                }
            }
        ) { world async throws in
            #expect(try await world.request("/metrics").status == 401)
            try await world.stopServer()
            isLocal.withLock { $0 = true }
            try await world.startServer()
            let forwarded = ["X-Forwarded-For": "127.0.0.1"]
            #expect(try await world.request("/metrics").status == 200)
            #expect(try await world.request("/metrics", headers: forwarded).status == 401)
            // Protects against DNS rebinding: a web page's host name may resolve to this machine.
            for (host, status) in [
                ("example.com", 401), ("example.com:80", 401), ("127.0.0.1:80", 200), ("localhost", 200),
            ] {
                #expect(try await world.request("/metrics", headers: ["Host": host]).status == status, "\(host)")
            }
            for ((_, key), status) in zip(keys, [200, 403]) {
                let headers = forwarded.merging(["Authorization": "Bearer \(key)"]) { $1 }
                #expect(try await world.request("/metrics", headers: headers).status == status)
            }
        }
    }

    @Test func `Webhook delivery attempts are counted by result`() async throws {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(500)
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            receiver.answer(200)
            try await world.deliverWebhooks(after: 3600)
            let lines = try #require(await world.server.core.metrics.text()).split(separator: "\n")
            for (result, count) in [("delivered", 1), ("retried", 1), ("failed", 0), ("discarded", 0)] {
                let line = "counterfoil_webhook_attempts_total{result=\"\(result)\"} \(count)"
                #expect(lines.contains { $0 == line }, "\(line)")
            }
        }
    }

    @Test func `Notifications that failed and histories that wait are counted until they are processed`() async throws {
        try await World.run { world in
            let (core, appEnvironment) = (try world.server.core, try world.appEnvironment())
            _ = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly"))
            try await world.waitUntilIdle()
            let filter = InboxFilter(scopes: [appEnvironment.id])
            let first = try await core.storage.notifications(filter, before: .max, limit: 1).items.first
            let stored = try #require(first)
            func lines() async throws -> [String] {
                let text = await core.metrics.text()
                return try #require(text).split(separator: "\n").map { String($0) }.filter {
                    $0.hasPrefix("counterfoil_notifications_failed") || $0.hasPrefix("counterfoil_history_requests")
                }
            }
            let nothing = ["counterfoil_notifications_failed 0", "counterfoil_history_requests 0"]
            let before = try await lines()
            #expect(before == nothing)
            try await core.storage.failProcessed(stored.id, code: "storage_damaged", message: "it is damaged")
            // The server itself takes a request only when it is due.
            try await core.storage.scheduleRetry(
                of: "7", in: appEnvironment.id, code: "timeout", until: world.simulator.now.milliseconds + 3_600_000,
                at: world.simulator.now.milliseconds)
            let failed = try await lines()
            #expect(failed == ["counterfoil_notifications_failed 1", "counterfoil_history_requests 1"])
            try await core.storage.reprocess([stored.id], at: world.simulator.now.milliseconds)
            let request = try await core.storage.dueHistoryRequests(
                in: appEnvironment.id, at: world.simulator.now.milliseconds + 7_200_000, limit: 9)
            try await core.storage.finish(request: try #require(request.first).id)
            let after = try await lines()
            #expect(after == nothing)
        }
    }

    @Test func `A metric has at most 64 values of a label, and counts the rest as "other"`() async throws {
        let metrics = ServerMetrics(PrometheusMetrics())
        for number in 0..<1000 { metrics.refused.increment("code_\(number)") }
        let lines = try #require(await metrics.text()).split(separator: "\n").filter {
            $0.contains(#"result="refused",code="#)
        }
        #expect(lines.count == 65)
        #expect(lines.contains { $0.hasSuffix(#"code="other"} 936"#) })
    }

    /// Expects each metric to have one type before its samples, and each sample to be a number.
    private static func checkFormat(_ lines: [String]) {
        var declared: Set<Substring> = []
        #expect(lines.count > 50)
        for line in lines {
            let words = line.split(separator: " ")
            if line.hasPrefix("# TYPE ") {
                #expect(words.count == 4 && declared.insert(words[2]).inserted, "\(line)")
            } else if !line.hasPrefix("# HELP ") {
                let name = line.prefix { $0 != "{" && $0 != " " }
                let isDeclared = ["", "_bucket", "_sum", "_count"].contains { suffix in
                    name.hasSuffix(suffix) && declared.contains(name.dropLast(suffix.count))
                }
                #expect(isDeclared, "\(line)")
                #expect(words.last.flatMap { Double($0) } != nil, "\(line)")
            }
        }
    }
}
