import AppStoreModels
import Foundation
import StoreSimulator
import Testing

@Suite struct `Performance tests of a realtime URL` {
    static let config = PerformanceTestConfig(
        maxConcurrentRequests: 2, totalRequests: 10, totalDuration: 1000, responseTimeThreshold: 700,
        successRateThreshold: 90)

    /// Returns a sandbox with a running performance test, and the test's identifier.
    func running(_ config: PerformanceTestConfig = config) throws -> (RetentionMessaging, UUID) {
        var messaging = RetentionMessaging(environment: .sandbox)
        messaging.performanceTestConfig = config
        try messaging.setRealtimeURL(
            Sample.body(#"{"realtimeURL":"http://127.0.0.1:8080/realtime"}"#), hasPassedTest: false)
        let id = try Sample.uuid(1)
        let response = try start(&messaging, id)
        #expect(response.requestId == Sample.id(1))
        return (messaging, id)
    }

    @discardableResult
    func start(
        _ messaging: inout RetentionMessaging, _ id: UUID, now: Date = Sample.now
    ) throws -> PerformanceTestResponse {
        try messaging.startPerformanceTest(
            Sample.body(#"{"originalTransactionId":"1"}"#), id: id, now: now, check: { _ in })
    }

    @Test func `Numbers of a performance test in an edited snapshot are limited`() throws {
        var (messaging, _) = try running()
        messaging.record(.success, milliseconds: 10, forTest: try Sample.uuid(1), now: Sample.now)
        let text = String(decoding: try JSONEncoder().encode(messaging.performanceTests[0]), as: UTF8.self)
        for (member, value) in [
            (#""totalRequests":10"#, #""totalRequests":0"#),
            (#""totalRequests":10"#, #""totalRequests":9000000000000000000"#),
            (#""milliseconds":10"#, #""milliseconds":9000000000000000000"#),
        ] {
            try #require(text.contains(member), "\(text)")
            let edited = text.replacingOccurrences(of: member, with: value)
            let run = try JSONDecoder().decode(PerformanceTestRun.self, from: Data(edited.utf8))
            #expect(1...100_000 ~= run.config.totalRequests)
            #expect(run.results.count == 1 && run.results[0].milliseconds <= 86_400_000)
            #expect(run.response(now: Sample.now.addingTimeInterval(3600)).successRate <= 100)
        }
        let same = try JSONDecoder().decode(PerformanceTestRun.self, from: Data(text.utf8))
        #expect(same == messaging.performanceTests[0])
    }

    @Test func `A performance test is pending until all results are recorded, then its success rate decides`() throws {
        for (failures, status, rate) in [(0, .pass, 100), (1, .pass, 90), (2, .fail, 80)]
            as [(Int, PerformanceTestStatus, Int32)]
        {
            var (messaging, id) = try running()
            for number in 0..<10 {
                #expect(try messaging.performanceTest(Sample.id(1), now: Sample.now).result == .pending)
                #expect(try messaging.performanceTest(Sample.id(1), now: Sample.now).numPending == Int32(10 - number))
                messaging.record(
                    number < failures ? .tlsIssue : .success, milliseconds: Int64(number + 1) * 10, forTest: id,
                    now: Sample.now)
            }
            let result = try messaging.performanceTest(Sample.id(1).uppercased(), now: Sample.now)
            #expect(result.result == status)
            #expect(result.successRate == rate)
            #expect(result.numPending == 0)
            #expect(result.target == "http://127.0.0.1:8080/realtime")
            #expect(result.failures == (failures == 0 ? nil : [.tlsIssue: Int32(failures)]))
            #expect(
                result.responseTimes
                    == PerformanceTestResponseTimes(average: 55, p50: 50, p90: 90, p95: 100, p99: 100))
            #expect(messaging.hasPassedTest(now: Sample.now) == (status == .pass))
            messaging.record(.success, milliseconds: 1, forTest: id, now: Sample.now)
            #expect(try messaging.performanceTest(Sample.id(1), now: Sample.now) == result)
        }
    }

    @Test func `A success slower than the threshold counts as a timeout`() throws {
        var (messaging, id) = try running()
        for milliseconds in [700, 701, Int64.max, Int64.min] {
            messaging.record(.success, milliseconds: milliseconds, forTest: id, now: Sample.now)
        }
        let result = try messaging.performanceTest(Sample.id(1), now: Sample.now)
        #expect(result.failures == [.timedOut: 2])
        #expect(result.successRate == 20)
    }

    @Test func `A second performance test is refused until the first one has timed out`() throws {
        var (messaging, _) = try running()
        let second = try Sample.uuid(2)
        #expect(try code { try start(&messaging, second, now: Sample.now + 1.9) } == .existingPerformanceTestRun)
        try start(&messaging, second, now: Sample.now + 2)
        let first = try messaging.performanceTest(Sample.id(1), now: Sample.now + 2)
        #expect(first.result == .fail)
        #expect(first.failures == [.timedOut: 10])
        #expect(first.numPending == 0)
        #expect(first.responseTimes == PerformanceTestResponseTimes(average: 0, p50: 0, p90: 0, p95: 0, p99: 0))
        #expect(try messaging.performanceTest(Sample.id(2), now: Sample.now + 2).result == .pending)
    }

    @Test func `A passed performance test still counts after its result is evicted`() throws {
        var config = Self.config
        config.totalRequests = 0
        var (messaging, id) = try running(config)
        messaging.record(.success, milliseconds: 1, forTest: id, now: Sample.now)
        var now = Sample.now
        for number in 2..<150 {
            try start(&messaging, Sample.uuid(number), now: now)
            now += 10
        }
        #expect(messaging.performanceTests.count == 100)
        #expect(try code { try messaging.performanceTest(Sample.id(1), now: now) } == .performanceTestRunNotFound)
        #expect(messaging.hasPassedTest(now: now))
    }

    @Test func `Production accepts a realtime URL that passed in the sandbox, and runs no performance test`() throws {
        var production = RetentionMessaging(environment: .production)
        let body = try Sample.body(#"{"realtimeURL":"https://example.com:8443/r?x=1"}"#)
        try production.setRealtimeURL(body, hasPassedTest: true)
        #expect(try production.realtimeURLResponse().realtimeURL == "https://example.com:8443/r?x=1")
        let id = try Sample.uuid(1)
        let failure = try failure { try start(&production, id) }
        #expect(failure?.status == 404)
        #expect(failure?.code == nil)
        try production.deleteRealtimeURL()
        let second = try StoreSimulatorTests.failure { try production.deleteRealtimeURL() }
        #expect(second?.status == 404)
        #expect(second?.code == nil)
    }

    @Test(arguments: [
        "https://example.com", "HTTPS://EXAMPLE.COM/a", "https://example.com:443/", "https://example.com:1024",
        "https://127.0.0.1:8443/", "http://localhost:8080/r", "http://127.0.0.1/r", "http://127.9.8.7:80",
        "http://[::1]:8080/r", "https://example.com/" + String(repeating: "x", count: 236),
    ])
    func `A realtime URL uses HTTPS, or HTTP to a loopback address`(_ url: String) throws {
        var messaging = RetentionMessaging(environment: .sandbox)
        try messaging.setRealtimeURL(Sample.body(#"{"realtimeURL":"\#(url)"}"#), hasPassedTest: false)
        #expect(messaging.realtimeURL == url)
    }
}
