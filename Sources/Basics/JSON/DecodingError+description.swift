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

    /// The path of the value that caused the error. A missing member is its last element.
    package var path: [any CodingKey] {
        switch self {
        case .keyNotFound(let key, let context): context.codingPath + [key]
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
            context.codingPath
        @unknown default: []
        }
    }
}
