internal import LedgerServices
internal import Foundation

/// The system's metrics of this process, with the names that Prometheus' client libraries use. Memory is available on
/// Linux only; elsewhere it is omitted.
struct ProcessMetrics {
    var residentBytes: Double?
    var processorSeconds: Double

    static func read() -> ProcessMetrics {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        let pages = fields("/proc/self/statm").dropFirst().first.flatMap { Double($0) }
        return ProcessMetrics(
            residentBytes: pages.map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) },
            processorSeconds: seconds.reduce(0, +))
    }

    func write(to text: inout PrometheusText, since start: Date) {
        if let residentBytes { text.metric(.residentBytes, residentBytes) }
        text.metric(.processorSeconds, processorSeconds)
        text.metric(.startTime, start.timeIntervalSince1970)
    }

    private static func fields(_ path: String) -> [Substring] { contents(path).split(separator: " ") }

    private static func contents(_ path: String) -> String {
        // Without the file, the metric is omitted.
        guard let data = FileManager.default.contents(atPath: path) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}

extension MetricFamily {
    fileprivate static let residentBytes = MetricFamily(
        "process_resident_memory_bytes", .gauge, "Memory that is in use, in bytes.")
    fileprivate static let processorSeconds = MetricFamily(
        "process_cpu_seconds_total", .counter, "Time of processors used, in seconds.")
    fileprivate static let startTime = MetricFamily(
        "process_start_time_seconds", .gauge, "When the server began, in seconds since 1970.")
}
