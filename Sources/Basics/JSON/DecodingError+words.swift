extension DecodingError {
    /// What a decoder expected, in the words of JSON; nil for what has no word there.
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
