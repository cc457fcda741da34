internal import Foundation

/// The limit of open files of the process. Each connection is one.
package enum DescriptorLimit {
    /// The present limit; nil if it is unknown.
    package static var current: Int? {
        var limit = rlimit()
        #if canImport(Darwin)
            let result = getrlimit(RLIMIT_NOFILE, &limit)
        #else
            let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #endif
        return result == 0 ? Int(clamping: limit.rlim_cur) : nil
    }
}
