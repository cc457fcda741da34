import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The memory of this process, from the kernel.
enum Memory {
    /// The resident memory in bytes.
    static var resident: Double { field("VmRSS") }

    /// The resident memory in bytes after the C library has returned freed memory, such as that of a finished load
    /// generator.
    static var residentAfterTrim: Double {
        #if canImport(Glibc)
            // Look up malloc_trim by name: no module has its header.
            typealias Trim = @convention(c) (Int) -> Int32
            if let symbol = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(symbol, to: Trim.self)(0) }
        #endif
        return resident
    }

    /// The maximum resident memory in bytes.
    static var peak: Double { field("VmHWM") }

    /// Resets ``peak`` to the current value.
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

/// The processor time of this process, from the C library.
enum Processor {
    /// The processor time in seconds, on all cores.
    static var time: Double {
        // POSIX defines CLOCKS_PER_SEC as one million.
        Double(clock()) / 1_000_000
    }
}
