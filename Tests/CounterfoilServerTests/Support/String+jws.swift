import Basics
import Foundation
import Testing

extension String {
    /// Returns a part of a compact JWS, not verified: the header (0) or the payload (1).
    func jwsPart(_ index: Int) throws -> Data {
        let parts = split(separator: ".")
        try #require(parts.indices.contains(index))
        return Data(try #require(Base64.decodeURL(parts[index])))
    }
}
