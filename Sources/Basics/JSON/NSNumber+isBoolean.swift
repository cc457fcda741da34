package import Foundation

extension NSNumber {
    /// Whether the number stands for `true` or `false` in JSON: `JSONSerialization` represents a Boolean as a number of
    /// type "c".
    package var isBoolean: Bool { String(cString: objCType) == "c" }
}
