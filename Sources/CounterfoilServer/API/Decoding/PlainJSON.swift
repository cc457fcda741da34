internal import Foundation

/// Reads JSON that goes into an answer as the bytes that it is.
enum PlainJSON {
    /// The members of a JSON object; nil for anything else.
    ///
    /// Foundation reads UTF-16, UTF-32 and a byte order mark as well. None of them may stand inside of an answer in UTF-8.
    static func object(_ bytes: [UInt8]) -> [String: Any]? {
        guard !bytes.contains(0), !bytes.starts(with: [0xEF, 0xBB, 0xBF]),
            String(validating: bytes, as: UTF8.self) != nil
        else { return nil }
        // Whatever Foundation refuses is no object.
        return try? JSONSerialization.jsonObject(with: Data(bytes).keepingByteOrderMarks) as? [String: Any]
    }
}

extension Data {
    /// The same JSON with every U+FEFF escaped: Foundation drops one that begins a string.
    var keepingByteOrderMarks: Data {
        let mark = Data([0xEF, 0xBB, 0xBF])
        // Hardly any text has one, and this is the cheaper question.
        return range(of: mark) == nil ? self : replacing(mark, with: Data("\\ufeff".utf8))
    }
}
