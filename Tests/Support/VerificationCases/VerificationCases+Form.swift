internal import AppStoreTrust
internal import Foundation
internal import StoreSimulator

extension VerificationCases {
    /// Texts that do not have three segments (RFC 7515 §7.1).
    static let compactForm: [VerificationCase] = [
        VerificationCase("nothing", .malformedCompactForm) { _ in "" },
        VerificationCase("one segment", .malformedCompactForm) { try EditableJWS($0).header },
        VerificationCase("two segments", .malformedCompactForm) {
            let p = try EditableJWS($0); return "\(p.header).\(p.payload)"
        },
        VerificationCase("four segments", .malformedCompactForm) { try EditableJWS($0).text + ".AAAA" },
        VerificationCase("five segments, as JWE has", .malformedCompactForm) {
            try EditableJWS($0).text + ".AAAA.AAAA"
        },
        VerificationCase("a dot at the end", .malformedCompactForm) { try EditableJWS($0).text + "." },
        VerificationCase("a dot at the beginning", .malformedCompactForm) { "." + (try EditableJWS($0).text) },
        VerificationCase("two dots", .malformedCompactForm) { _ in ".." },
        VerificationCase("an empty header", .malformedCompactForm) {
            try EditableJWS($0).changing { $0.header = "" }.text
        },
        VerificationCase("an empty payload", .malformedCompactForm) {
            try EditableJWS($0).changing { $0.payload = "" }.text
        },
        VerificationCase("an empty signature", .malformedCompactForm) {
            try EditableJWS($0).changing { $0.signature = "" }.text
        },
        VerificationCase("an empty payload, signed", .malformedCompactForm) {
            try EditableJWS(header: Data($0.header().utf8), payload: Data(), key: $0.signingKey).text
        },
        VerificationCase("JSON serialization", .malformedCompactForm) {
            let p = try EditableJWS($0)
            return #"{"protected":"\#(p.header)","payload":"\#(p.payload)","signature":"\#(p.signature)"}"#
        },
        VerificationCase("full-width dots", .malformedCompactForm) {
            try EditableJWS($0).text.replacing(".", with: "\u{FF0E}")
        },
        VerificationCase("emoji", .malformedCompactForm) { _ in "🧾" },
        VerificationCase("200 000 dots", .malformedCompactForm) { _ in String(repeating: ".", count: 200_000) },
        VerificationCase("one byte above the limit", .tooLarge) { _ in String(repeating: "A", count: 256 * 1024 + 1) },
        VerificationCase("12 MB of payload", .tooLarge) {
            let json = Members(.transaction).with("x", "\"\(String(repeating: "A", count: 12 << 20))\"").json
            return try EditableJWS($0, payload: json).text
        },
        VerificationCase("a megabyte of header", .tooLarge) {
            try EditableJWS($0, header: $0.header(adding: #""x":"\#(String(repeating: "A", count: 1 << 20))","#)).text
        },
    ]

    /// Segments that are not base64url without padding (RFC 7515 §2), changed after signing.
    static let changedText: [VerificationCase] = changes.map { name, change in
        VerificationCase(name, .badBase64URL) { try change(try EditableJWS($0, payload: payload(remainder: 1))) }
    }

    private static let changes: [(String, @Sendable (EditableJWS) throws -> String)] = [
        ("a space before", { " " + $0.text }), ("a line break after", { $0.text + "\n" }),
        ("CR LF after", { $0.text + "\r\n" }), ("NUL after", { $0.text + "\0" }),
        ("a byte order mark before", { "\u{FEFF}" + $0.text }), ("quotation marks around", { "\"\($0.text)\"" }),
        ("Bearer before", { "Bearer " + $0.text }),
        ("a Cyrillic letter", { $0.text.replacing("e", with: "е", maxReplacements: 1) }),
        ("a percent escape", { $0.text.replacing("e", with: "%65", maxReplacements: 1) }),
        ("NUL in the header", { $0.changing { $0.header = "\0" + $0.header }.text }),
        ("a space in the payload", { $0.changing { $0.payload.insert(" ", at: $0.payload.startIndex) }.text }),
        ("a tab in the signature", { $0.changing { $0.signature.insert("\t", at: $0.signature.startIndex) }.text }),
        ("padding of the signature", { $0.changing { $0.signature += "==" }.text }),
        ("one sign of padding of the signature", { $0.changing { $0.signature += "=" }.text }),
        (
            "leftover bits in the signature",
            { try $0.changing { $0.signature = try withLeftoverBits($0.signature) }.text }
        ),
        ("a signature with one letter too many", { $0.changing { $0.signature += "AAA" }.text }),
    ]

    /// The same, changed before signing: the signature is valid, but the text is not base64url.
    static let signedText: [VerificationCase] = spellings.map { name, spell in
        VerificationCase(name, .badBase64URL) {
            let genuine = try EditableJWS($0, payload: payload(remainder: 1))
            return try EditableJWS(signing: genuine.header, spell(genuine.payload), key: $0.signingKey).text
        }
    }

    private static let spellings: [(String, @Sendable (String) throws -> String)] = [
        ("padding of the payload, signed", { $0 + "==" }),
        ("a line break in the payload, signed", { $0.prefix(64) + "\n" + $0.dropFirst(64) }),
        ("a space in the payload, signed", { $0.prefix(64) + " " + $0.dropFirst(64) }),
        ("an exclamation mark in the payload, signed", { $0.prefix(64) + "!" + $0.dropFirst(64) }),
        ("leftover bits in the payload, signed", { try withLeftoverBits($0) }),
    ]

    static let otherAlphabets: [VerificationCase] = [
        VerificationCase("the standard alphabet in the payload, signed", .badBase64URL) {
            // Every third byte of a run of "?" and ">" is encoded as character 62 or 63.
            let json = Members(.transaction).with("x", "\"???>>>???>>>\"").json
            let genuine = try EditableJWS($0, payload: json)
            let spelled = standardAlphabet(genuine.payload)
            guard spelled != genuine.payload else { throw Unfit(description: "no letter differs") }
            return try EditableJWS(signing: genuine.header, spelled, key: $0.signingKey).text
        },
        VerificationCase("the standard alphabet in the header, signed", .badBase64URL) {
            let genuine = try EditableJWS($0, header: $0.header(adding: #""x":"???>>>???>>>","#))
            let spelled = standardAlphabet(genuine.header)
            guard spelled != genuine.header else { throw Unfit(description: "no letter differs") }
            return try EditableJWS(signing: spelled, genuine.payload, key: $0.signingKey).text
        },
        VerificationCase("the standard alphabet in the signature", .badBase64URL) { authority in
            for _ in 0..<1000 {
                let genuine = try EditableJWS(authority)
                let spelled = standardAlphabet(genuine.signature)
                if spelled != genuine.signature { return genuine.changing { $0.signature = spelled }.text }
            }
            throw Unfit(description: "no letter differs")
        },
        VerificationCase("padding of the header, signed", .badBase64URL) {
            var json = $0.header()
            while json.utf8.count % 3 != 1 { json += " " }
            let genuine = try EditableJWS($0, header: json)
            return try EditableJWS(signing: genuine.header + "==", genuine.payload, key: $0.signingKey).text
        },
        VerificationCase("a line break in the header, signed", .badBase64URL) {
            let genuine = try EditableJWS($0)
            let broken = genuine.header.prefix(76) + "\n" + genuine.header.dropFirst(76)
            return try EditableJWS(signing: String(broken), genuine.payload, key: $0.signingKey).text
        },
        VerificationCase("leftover bits in the header, signed", .badBase64URL) {
            var json = $0.header()
            while json.utf8.count % 3 != 1 { json += " " }
            let genuine = try EditableJWS($0, header: json)
            return try EditableJWS(signing: withLeftoverBits(genuine.header), genuine.payload, key: $0.signingKey).text
        },
    ]
}
