import CoreMetrics
import CounterfoilServer
import Foundation
import NIOHTTP1
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import LedgerServices

@Suite(.timeLimit(.minutes(10))) struct `The metrics of a server` {
    @Test func `Metrics are sent to the given backend, and the metrics route answers 404`() async throws {
        let backend = RecordingMetrics()
        try await World.run(server: { $0.listen.metrics = .local }, metrics: { backend }) { world async throws in
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", appAccountToken: AppAccountToken(UUID())))
            try await world.waitUntilIdle()
            _ = try await world.request(.POST, "/apple/notifications", body: "[]")
            let answer = try await world.request("/metrics")
            #expect(answer.status == 404)
            #expect(answer.text.contains(#""code":"metrics_not_exposed""#))
            let route = "counterfoil_http_requests_total route=/apple/notifications method=POST"
            let notifications = "counterfoil_notifications_total result="
            for (name, values) in [
                (notifications + "kept code=", [1.0]), (notifications + "refused code=bad_json", [1]),
                ("counterfoil_commit_notifications", [1]), (route + " status=200", [1]),
                (route + " status=400", [1]),
            ] { #expect(backend[name] == values, "\(name)") }
            for name in ["acknowledgement", "verification", "commit", "processing"] {
                let durations = backend["counterfoil_\(name)_duration_seconds"]
                #expect(!durations.isEmpty && durations.allSatisfy { $0 > 0 }, "\(name)")
            }
            // The server samples these from the ledger periodically, the first time at its start.
            for name in ["inbox_backlog", "inbox_oldest_age_seconds", "http_body_bytes", "webhook_backlog"] {
                try await waitUntil("\(name) is sampled") { !backend["counterfoil_\(name)"].isEmpty }
            }
        }
    }

    @Test func `The Prometheus text is unchanged, byte by byte`() async throws {
        let backend = PrometheusMetrics()
        let (metrics, requests) = (ServerMetrics(backend), RequestMetrics(backend))
        metrics.addGauge(.requestsUnderWay) { [([], Double(requests.underWay))] }
        for _ in 0..<2 { metrics.stored.increment() }
        metrics.duplicates.increment()
        metrics.refused.increment("bad_json")
        metrics.revocationFailures.increment(by: 4)
        metrics.commit.recordMicroseconds(1500)
        metrics.commit.recordSeconds(7)
        metrics.batch.record(3)
        let text = try #require(await metrics.text())
        let end = try #require(text.range(of: "# HELP process_"))
        #expect(text[..<end.lowerBound] == metricsText)
    }

    @Test func `Each server has its own metrics, and the process-wide metrics system is not used`() async throws {
        let (one, other) = (ServerMetrics(PrometheusMetrics()), ServerMetrics(PrometheusMetrics()))
        one.stored.increment()
        let line = "\ncounterfoil_notifications_total{result=\"kept\",code=\"\"} "
        #expect(try #require(await one.text()).contains(line + "1\n"))
        #expect(try #require(await other.text()).contains(line + "0\n"))
        #expect(MetricsSystem.factory is NOOPMetricsHandler)
    }

    @Test func `A gauge has samples only for the labels of its last reading`() async throws {
        let metrics = ServerMetrics(PrometheusMetrics())
        let current = Mutex<[SampledGauge.Reading]>([])
        let gauge = MetricFamily("ages", .gauge, "How old.")
        metrics.addGauge(gauge) { current.withLock(\.self) }
        for (readings, samples) in [
            ([([("app", "a")], 1.5), ([("app", "b")], 2)], [#"ages{app="a"} 1.5"#, #"ages{app="b"} 2"#]),
            ([([("app", "b")], 3)], [#"ages{app="b"} 3"#]), ([], []),
            ([([("app", "b")], 4)], [#"ages{app="b"} 4"#]),
        ] as [([SampledGauge.Reading], [String])] {
            current.withLock { $0 = readings }
            let lines = try #require(await metrics.text()).split(separator: "\n").map(String.init)
            #expect(lines.filter { $0.hasPrefix("ages") } == samples)
        }
    }

    @Test func `Unknown paths and methods share one series`() async throws {
        try await World.run(server: { $0.listen.metrics = .local }) { world async throws in
            for number in 0..<20 { _ = try await world.request(.PURGE, "/nothing/\(number)") }
            let lines = try await world.request("/metrics").text.split(separator: "\n")
                .filter { $0.hasPrefix("counterfoil_http_requests_total") }
            #expect(lines == [#"counterfoil_http_requests_total{route="none",method="OTHER",status="404"} 20"#])
        }
    }
}

/// Records all values by the metric's name and labels, for example `count of=things`.
private final class RecordingMetrics: MetricsFactory {
    private let values = Mutex<[String: [Double]]>([:])

    subscript(name: String) -> [Double] { values.withLock { $0[name] ?? [] } }

    private final class Series: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
        let name: String
        let backend: RecordingMetrics

        init(_ backend: RecordingMetrics, _ label: String, _ dimensions: [(String, String)]) {
            self.backend = backend
            name = ([label] + dimensions.map { "\($0)=\($1)" }).joined(separator: " ")
        }

        func record(_ value: Double) { backend.values.withLock { $0[name, default: []].append(value) } }
        func record(_ value: Int64) { record(Double(value)) }
        func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
        func set(_ value: Double) { record(value) }
        func set(_ value: Int64) { record(Double(value)) }
        func increment(by amount: Int64) { increment(by: Double(amount)) }
        func increment(by amount: Double) {
            backend.values.withLock { $0[name] = [($0[name]?.last ?? 0) + amount] }
        }
        func decrement(by amount: Double) { increment(by: -amount) }
        func reset() { backend.values.withLock { $0[name] = [0] } }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Series(self, label, dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        Series(self, label, dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Series(self, label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Series(self, label, dimensions)
    }

    func destroyCounter(_: any CounterHandler) {}
    func destroyMeter(_: any MeterHandler) {}
    func destroyRecorder(_: any RecorderHandler) {}
    func destroyTimer(_: any TimerHandler) {}
}
