internal import Foundation
package import HTTPTypes

extension HTTPFields {
    /// The media type of the body in lower case, without parameters; empty if it is missing.
    package var mediaType: String {
        (self[.contentType] ?? "").prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }
}
