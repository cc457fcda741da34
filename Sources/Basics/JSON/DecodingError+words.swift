extension DecodingError {
    /// Returns the JSON type that a decoder expected, for messages; nil for types without a counterpart in JSON.
    package static func words(for type: Any.Type) -> String? {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
        case is [String: Any].Type: "an object"
        case is [Any].Type: "a list"
        default: nil
        }
    }
}
