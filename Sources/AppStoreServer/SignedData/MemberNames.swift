internal import AppStoreTrust

/// The member names of a JSON object in the order of the text, repetitions included, which Foundation's decoder hides.
enum MemberNames {
    /// How deep a header may nest. The App Store's has one array in one object.
    private static let maximumDepth = 8

    /// Names of the outermost object. A name with an escape is refused: it could be a second spelling of another one.
    static func ofObject(in json: [UInt8]) throws(VerificationError) -> [String] {
        // Foundation would also read UTF-16, UTF-32, a byte order mark and anything at all in the strings that it skips;
        // RFC 7515 §4 says UTF-8, and below bytes are letters.
        guard json.first == UInt8(ascii: "{"), !json.contains(0), String(validating: json, as: UTF8.self) != nil else {
            throw VerificationError(.badJSON, "the header is not a JSON object in UTF-8")
        }
        var names: [String] = []
        var depth = 0
        var index = json.startIndex
        var expectsName = false
        while index < json.endIndex {
            let byte = json[index]
            index += 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                guard depth <= maximumDepth else { throw VerificationError(.badJSON, "the header nests too deeply") }
                expectsName = depth == 1 && byte == UInt8(ascii: "{")
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
            case UInt8(ascii: ","):
                expectsName = depth == 1
            case UInt8(ascii: "\""):
                let text = try string(in: json, from: &index)
                guard expectsName else { continue }
                guard !text.contains(UInt8(ascii: "\\")) else {
                    throw VerificationError(.badJSON, "a member name of the header is escaped")
                }
                names.append(String(decoding: text, as: UTF8.self))
                expectsName = false
            default:
                continue
            }
        }
        return names
    }

    /// The raw text up to the closing quotation mark, which `index` is moved past.
    private static func string(in json: [UInt8], from index: inout Int) throws(VerificationError) -> ArraySlice<UInt8> {
        let start = index
        while index < json.endIndex {
            switch json[index] {
            case UInt8(ascii: "\""):
                defer { index += 1 }
                return json[start..<index]
            case UInt8(ascii: "\\"):
                index += 2
            // RFC 8259 §7. Foundation does not look into the strings of members that it skips.
            case 0..<0x20:
                throw VerificationError(.badJSON, "the header has a control character in a string")
            default:
                index += 1
            }
        }
        throw VerificationError(.badJSON, "the header ends within a string")
    }
}
