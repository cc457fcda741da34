/// Whether a quoted text of a YAML document may continue on the next line.
///
/// An apostrophe or a quotation mark may also be part of unquoted text, and only a complete scanner knows. So this says
/// that a text may continue unless it is certain that none does.
struct OpenQuotes {
    /// Whether a quoted text may continue on the next line. It stays true.
    private(set) var mayContinue = false
    /// The mark with which a quoted text may begin that has not ended in this line.
    private var opening: Unicode.Scalar?

    /// Adds a character outside comments.
    ///
    /// - Parameters:
    ///   - isAfterName: Whether a name character is directly before it. No quoted text begins there.
    ///   - next: The character directly after it.
    mutating func add(_ scalar: Unicode.Scalar, isAfterName: Bool, before next: Unicode.Scalar?) {
        switch scalar {
        case "\"", "'":
            if isAfterName {
                guard scalar == opening else { return }
                // If the first mark begins no quoted text, neither does this one. A repeated mark is part of the text.
                if next == scalar { mayContinue = true }
                opening = nil
            } else if opening == nil {
                opening = scalar
            } else {
                // It may end the text, or begin another if the first mark began none.
                mayContinue = true
            }
        // The mark after it may be part of the text.
        case "\\": if opening != nil { mayContinue = true }
        default: break
        }
    }

    mutating func endLine() {
        if opening != nil { mayContinue = true }
        opening = nil
    }
}
