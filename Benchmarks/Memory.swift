import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// What the kernel says about this process's memory.
enum Memory {
    /// Resident now, in bytes.
    static var resident: Double { field("VmRSS") }

    /// Resident once the C library has given back what nobody holds any more, such as the requests of a load generator that
    /// is done. In bytes.
    static var settled: Double {
        #if canImport(Glibc)
            // Its header is in no module.
            typealias Trim = @convention(c) (Int) -> Int32
            if let symbol = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(symbol, to: Trim.self)(0) }
        #endif
        return resident
    }

    /// The most that was resident at once, in bytes.
    static var peak: Double { field("VmHWM") }

    /// Forgets ``peak`` until now.
    static func resetPeak() throws {
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    }

    private static func field(_ name: String) -> Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let kibibytes = Double(line.filter(\.isNumber))
        else { return .nan }
        return kibibytes * 1024
    }
}

/// What the C library says about this process's work.
enum Processor {
    /// Seconds of processor time so far, on all cores.
    static var time: Double {
        // POSIX: a million of them are a second everywhere.
        Double(clock()) / 1_000_000
    }
}
