import CoreMetrics
import Testing

@testable import CounterfoilServer
@testable import LedgerServices

@Suite struct `Prometheus metrics` {
    @Test func `A counter ignores negative amounts and wraps to zero after 2^64`() {
        let metrics = PrometheusMetrics()
        let counter = Counter(label: "things_total", factory: metrics)
        counter.increment()
        counter.increment(by: 41)
        counter.increment(by: -5)
        #expect(Self.samples(metrics) == ["things_total 42"])
        counter.reset()
        for amount in [Int64.max, .max, 3] { counter.increment(by: amount) }
        #expect(Self.samples(metrics) == ["things_total 1"])
    }

    @Test(arguments: [
        (1.0, "1"), (0.25, "0.25"), (-3, "-3"), (.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"),
        (1e300, "1e+300"),
    ])
    func `A gauge shows the value that was set`(value: Double, text: String) {
        let metrics = PrometheusMetrics()
        Meter(label: "level", factory: metrics).set(value)
        Gauge(label: "gauge", factory: metrics).record(value)
        #expect(Self.samples(metrics) == ["level \(text)", "gauge \(text)"])
    }

    @Test func `A gauge can be incremented and decremented`() {
        let metrics = PrometheusMetrics()
        let meter = Meter(label: "level", factory: metrics)
        meter.set(7)
        meter.increment(by: 1.5)
        meter.decrement()
        #expect(Self.samples(metrics) == ["level 7.5"])
    }

    @Test func `A histogram counts a value in the first bucket whose bound is not below it`() {
        let buckets = HistogramBuckets(bounds: [1, 2, 4])
        let metrics = PrometheusMetrics([MetricFamily("sizes", .histogram(buckets), "How large.")])
        let recorder = Recorder(label: "sizes", factory: metrics)
        for size in [-1, 1, 2, 2, 3, 5] { recorder.record(size) }
        for size in [1.5, .nan, .infinity] { recorder.record(size) }
        #expect(
            Self.samples(metrics) == [
                #"sizes_bucket{le="1"} 2"#, #"sizes_bucket{le="2"} 5"#, #"sizes_bucket{le="4"} 6"#,
                #"sizes_bucket{le="+Inf"} 7"#, "sizes_sum 13.5", "sizes_count 7",
            ])
    }

    @Test func `Durations are shown in seconds, also negative and very long ones`() {
        let buckets = HistogramBuckets(bounds: [1_000_000], scale: 1e9)
        let metrics = PrometheusMetrics([MetricFamily("waits", .histogram(buckets), "How long.")])
        let timer = Timer(label: "waits", dimensions: [("for", "x")], factory: metrics)
        timer.recordMilliseconds(1)
        timer.recordNanoseconds(1_000_001)
        timer.recordNanoseconds(-5)
        #expect(
            Self.samples(metrics) == [
                #"waits_bucket{for="x",le="0.001"} 2"#, #"waits_bucket{for="x",le="+Inf"} 3"#,
                #"waits_sum{for="x"} 0.002000001"#, #"waits_count{for="x"} 3"#,
            ])
        for _ in 0..<3 { timer.recordNanoseconds(.max) }
        #expect(Self.samples(metrics).last == #"waits_count{for="x"} 6"#)
    }

    @Test func `Label values are escaped, and invalid characters in names are replaced`() {
        let metrics = PrometheusMetrics()
        Counter(label: "http.requests:all", dimensions: [("a-b:c", "x\\\"\u{301}\r\ny"), ("9", "ö")], factory: metrics)
            .increment()
        Counter(label: "2nd", factory: metrics).increment()
        Counter(label: "", factory: metrics).increment()
        #expect(
            Self.samples(metrics) == [
                "http_requests:all{a_b_c=\"x\\\\\\\"\u{301}\r\\ny\",_9=\"ö\"} 1", "_2nd 1", "_ 1",
            ])
        #expect(metrics.text().contains("# TYPE http_requests:all counter\nhttp_requests:all{"))
    }

    @Test func `Concurrent recordings are not lost`() async {
        let metrics = PrometheusMetrics()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let counter = Counter(label: "count", factory: metrics)
                    let meter = Meter(label: "level", factory: metrics)
                    let timer = Timer(label: "waits", factory: metrics)
                    for number in 0..<2_000 {
                        counter.increment()
                        meter.increment(by: 0.5)
                        timer.recordSeconds(1)
                        Counter(label: "others", dimensions: [("n", "\(number % 10)")], factory: metrics).increment()
                    }
                }
            }
        }
        let samples = Self.samples(metrics)
        for line in ["count 16000", "level 8000", "waits_count 16000", "waits_sum 16000"] {
            #expect(samples.contains(line), "\(line)")
        }
        let others = samples.filter { $0.hasPrefix("others") }
        #expect(others == (0..<10).map { "others{n=\"\($0)\"} 1600" })
    }

    @Test func `A name belongs to the kind of metric that used it first`() {
        let metrics = PrometheusMetrics()
        let (first, same) = (Counter(label: "a.b", factory: metrics), Counter(label: "a_b", factory: metrics))
        Timer(label: "a_b", factory: metrics).recordSeconds(1)
        Meter(label: "a_b", dimensions: [("x", "y")], factory: metrics).set(5)
        first.increment()
        same.increment()
        #expect(Self.samples(metrics) == ["a_b 2"])
    }

    @Test func `A destroyed counter is removed and starts at zero when it is created again`() {
        let metrics = PrometheusMetrics()
        let counters = ["a", "b"].map { Counter(label: "count", dimensions: [("x", $0)], factory: metrics) }
        for counter in counters { counter.increment() }
        counters.first?.destroy()
        #expect(Self.samples(metrics) == [#"count{x="b"} 1"#])
        Counter(label: "count", dimensions: [("x", "a")], factory: metrics).increment()
        #expect(Self.samples(metrics) == [#"count{x="a"} 1"#, #"count{x="b"} 1"#])
    }

    @Test func `Requests beyond 1024 combinations of route, method and status are counted as "other"`() {
        let metrics = PrometheusMetrics()
        let requests = RequestMetrics(metrics)
        for number in 0..<1030 {
            requests.begin()
            requests.end(.init(route: "/\(number)", method: "GET", status: 200), since: .now)
        }
        let text = metrics.text()
        let name = "counterfoil_http_requests_total"
        #expect(text.contains("\n\(name){route=\"/1023\",method=\"GET\",status=\"200\"} 1\n"))
        #expect(text.contains("\n\(name){route=\"other\",method=\"OTHER\",status=\"0\"} 6\n"))
        #expect(!text.contains("/1024"))
    }

    /// Returns the samples of the metrics that the test has created.
    private static func samples(_ metrics: PrometheusMetrics) -> [String] {
        metrics.text().split(separator: "\n").map(String.init).filter { line in
            !["#", "process_", "counterfoil_"].contains { line.hasPrefix($0) }
        }
    }
}
