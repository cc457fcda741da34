package import Foundation

extension JSONEncoder {
    /// An encoder that sorts the members of objects by name, so that equal values have equal bytes, and does not escape
    /// slashes.
    package static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
