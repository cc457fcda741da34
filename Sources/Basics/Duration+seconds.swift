package import Foundation

extension Duration {
    /// The duration in seconds.
    package var seconds: TimeInterval {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
