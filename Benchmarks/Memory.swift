import Foundation

/// What the kernel says about this process's memory.
enum Memory {
    /// Resident now, in bytes.
    static var resident: Double { field("VmRSS") }

    /// The most that was resident at once, in bytes.
    static var peak: Double { field("VmHWM") }

    private static func field(_ name: String) -> Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let kibibytes = Double(line.filter(\.isNumber))
        else { return .nan }
        return kibibytes * 1024
    }
}
