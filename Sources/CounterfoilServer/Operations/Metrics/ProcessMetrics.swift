internal import Foundation
internal import LedgerServices

/// The system's metrics of this process, with the names that Prometheus' client libraries use. Memory is available on
/// Linux only; elsewhere it is omitted.
enum ProcessMetrics {
    static func write(to text: inout PrometheusText, since start: Date) {
        // The second number is that of resident pages.
        let memory = FileManager.default.contents(atPath: "/proc/self/statm").map {
            String(decoding: $0, as: UTF8.self)
        }
        if let pages = memory?.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) {
            text.metric(.residentBytes, pages * Double(sysconf(Int32(_SC_PAGESIZE))))
        }
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        text.metric(.processorSeconds, seconds.reduce(0, +))
        text.metric(.startTime, start.timeIntervalSince1970)
    }
}

extension MetricFamily {
    static let residentBytes = MetricFamily(
        "process_resident_memory_bytes", .gauge, "Resident memory, in bytes.")
    static let processorSeconds = MetricFamily(
        "process_cpu_seconds_total", .counter, "CPU time used, in seconds.")
    fileprivate static let startTime = MetricFamily(
        "process_start_time_seconds", .gauge, "When the server started, in seconds since 1970.")
}
