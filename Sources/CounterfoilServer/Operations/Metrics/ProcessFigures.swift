internal import Foundation

/// What the system says about this process, under the names that Prometheus' own libraries use. Linux only; elsewhere what is
/// not known is left out.
struct ProcessFigures {
    private static let startTime = read(startOf: "/proc/self/stat")

    var residentBytes: Double?
    var processorSeconds: Double
    var startTime: Double?

    static func read() -> ProcessFigures {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        let pages = fields("/proc/self/statm").dropFirst().first.flatMap { Double($0) }
        return ProcessFigures(
            residentBytes: pages.map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) },
            processorSeconds: seconds.reduce(0, +), startTime: startTime)
    }

    func write(to text: inout MetricsText) {
        if let residentBytes {
            text.gauge("process_resident_memory_bytes", "Memory that is in use, in bytes.", [([], residentBytes)])
        }
        text.counter("process_cpu_seconds_total", "Time of processors used, in seconds.", [([], processorSeconds)])
        if let startTime {
            text.gauge(
                "process_start_time_seconds", "When the process began, in seconds since 1970.", [([], startTime)])
        }
    }

    /// When the process began, which the system counts in ticks from its own beginning.
    private static func read(startOf stat: String) -> Double? {
        // The name, in parentheses, may have blanks.
        let all = contents(stat)
        guard let end = all.lastIndex(of: ")") else { return nil }
        let fields = all[end...].split(separator: " ")
        guard fields.count > 20, let ticks = Double(fields[20]),
            let uptime = contents("/proc/uptime").split(separator: " ").first.flatMap({ Double($0) })
        else { return nil }
        let age = uptime - ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        return Date().timeIntervalSince1970 - age
    }

    private static func fields(_ path: String) -> [Substring] { contents(path).split(separator: " ") }

    private static func contents(_ path: String) -> String {
        // Where there is no such file the figure is left out.
        guard let data = FileManager.default.contents(atPath: path) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}
