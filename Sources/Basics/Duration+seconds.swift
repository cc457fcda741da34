package import Foundation

extension Duration {
    /// In seconds.
    package var seconds: TimeInterval {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
