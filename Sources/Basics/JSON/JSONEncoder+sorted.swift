package import Foundation

extension JSONEncoder {
    /// Writes the members of objects in the order of their names, so that equal values give equal bytes, and slashes as they
    /// are.
    package static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
