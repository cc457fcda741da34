internal import Foundation

/// Parses JSON whose bytes are copied unchanged into a response.
enum VerbatimJSON {
    /// Returns the members of a JSON object; nil for anything else.
    ///
    /// Foundation also parses UTF-16, UTF-32 and byte order marks. A response in UTF-8 must not contain them.
    static func object(_ bytes: [UInt8]) -> [String: Any]? {
        guard !bytes.contains(0), !bytes.starts(with: [0xEF, 0xBB, 0xBF]),
            String(validating: bytes, as: UTF8.self) != nil
        else { return nil }
        // Data that Foundation rejects is not a JSON object.
        return try? JSONSerialization.jsonObject(with: Data(bytes).keepingByteOrderMarks) as? [String: Any]
    }
}

extension Data {
    /// The same JSON with every U+FEFF escaped: Foundation drops one at the start of a string.
    var keepingByteOrderMarks: Data {
        let mark = Data([0xEF, 0xBB, 0xBF])
        // Few texts contain one, and searching is cheaper than replacing.
        return range(of: mark) == nil ? self : replacing(mark, with: Data("\\ufeff".utf8))
    }
}
