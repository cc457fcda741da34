package import Foundation

extension URL {
    /// Whether the URL has a host and the scheme `http` or `https`.
    package var isHTTP: Bool {
        ["http", "https"].contains(scheme?.lowercased()) && host()?.isEmpty == false
    }
}
