import AppStoreReceipts
import AppStoreTrust
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Hostile receipts` {
    @Test(
        arguments: [
            ("", .malformedReceipt), ("   \n", .malformedReceipt), ("!", .badBase64URL), ("MIIB", .malformedReceipt),
            ("MIIBA", .badBase64URL), ("TUlJQg==", .malformedReceipt), ("MII_", .badBase64URL),
            ("eyJhIjoxfQ==", .malformedReceipt),
            ("ew==", .malformedReceipt), ("e30=", .malformedReceipt), ("MIAAAA==", .malformedReceipt),
        ] as [(String, VerificationError.Code)])
    func `A text that is not a receipt is refused`(_ text: String, _ code: VerificationError.Code) throws {
        #expect(throws: refusal(code)) { try UnverifiedReceipt(base64: text) }
        #expect(throws: refusal(code)) { try UnverifiedReceipt(contents: Data(text.utf8)) }
        #expect(throws: refusal(code)) { try ReceiptValidator().validate(base64: text) }
        if text != "e30=" {
            #expect(throws: refusal(code)) { try UnverifiedReceipt.transactionID(in: text) }
        }
    }

    static let bombs: [(String, [UInt8], VerificationError.Code)] = [
        ("levels of definite length", bomb(100), .malformedReceipt),
        (
            "levels of indefinite length", Array(repeating: [0x30, 0x80], count: 100_000).flatMap(\.self),
            .malformedReceipt
        ),
        (
            "levels in a large input", Array(repeating: [0x30, 0x80], count: 1_000_000).flatMap(\.self),
            .malformedReceipt
        ),
        ("length of four gigabytes", [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0], .malformedReceipt),
        ("length of eight bytes", [0x30, 0x88] + Array(repeating: 0xFF, count: 8) + [0], .malformedReceipt),
        ("length of 127 bytes", [0x30, 0xFF] + Array(repeating: 0xFF, count: 127), .malformedReceipt),
        (
            "length of 127 bytes in a large input", [0x30, 0x80] + Array(repeating: 0xFF, count: 1_000_000),
            .malformedReceipt
        ),
        (
            "millions of elements",
            RawDER.element(
                0x30, Array(repeating: 0x04, count: 0) + Array(repeating: [4, 0], count: 1_000_000).flatMap(\.self)),
            .tooLarge
        ),
        (
            "millions of open elements", [0x30, 0x80] + Array(repeating: [0x30, 0], count: 1_000_000).flatMap(\.self),
            .tooLarge
        ),
    ]

    static func bomb(_ depth: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<depth { bytes = RawDER.element(0x30, bytes) }
        return bytes
    }

    @Test(.timeLimit(.minutes(10)), arguments: bombs.indices)
    func `Deeply nested and oversized encodings are refused`(_ index: Int) throws {
        let (name, bytes, code) = Self.bombs[index]
        #expect(throws: refusal(code), "\(name)") { try UnverifiedReceipt(contents: Data(bytes)) }
    }

    @Test func `The limits for bytes, attributes and certificates are exact`() throws {
        let authority = try ReceiptAuthority.shared.get()
        let payload = PayloadBuilder(purchases: [PayloadBuilder.purchase()])
        let bytes = Data(try ReceiptBuilder(payload: payload.bytes, authority: authority).bytes())
        let count = payload.attributes.count + 4
        _ = try UnverifiedReceipt(
            contents: bytes, limits: ReceiptLimits(bytes: bytes.count, attributes: count, certificates: 3))
        #expect(throws: refusal(.tooLarge)) {
            try UnverifiedReceipt(contents: bytes, limits: ReceiptLimits(bytes: bytes.count - 1))
        }
        #expect(throws: refusal(.tooLarge)) {
            try UnverifiedReceipt(contents: bytes, limits: ReceiptLimits(attributes: count - 1))
        }
        #expect(throws: refusal(.tooLarge)) {
            try UnverifiedReceipt(contents: bytes, limits: ReceiptLimits(certificates: 2))
        }
        let text = bytes.base64EncodedString()
        _ = try UnverifiedReceipt(base64: text, limits: ReceiptLimits(bytes: text.utf8.count))
        #expect(throws: refusal(.tooLarge)) {
            try UnverifiedReceipt(base64: text, limits: ReceiptLimits(bytes: text.utf8.count - 1))
        }
    }

    @Test func `Bytes after the container are refused`() throws {
        let authority = try ReceiptAuthority.shared.get()
        for isIndefinite in [false, true] {
            var builder = ReceiptBuilder(payload: PayloadBuilder().bytes, authority: authority)
            builder.isIndefinite = isIndefinite
            let bytes = Data(try builder.bytes())
            _ = try UnverifiedReceipt(contents: bytes)
            for junk in [[0], [0, 0], [5, 0], Array(bytes)] {
                #expect(throws: refusal(.malformedReceipt)) { try UnverifiedReceipt(contents: bytes + junk) }
            }
        }
    }

    @Test func `Base64 is strict except for line breaks and surrounding white space`() throws {
        let authority = try ReceiptAuthority.shared.get()
        let bytes = Data(try ReceiptBuilder(payload: PayloadBuilder().bytes, authority: authority).bytes())
        let text = bytes.base64EncodedString()
        let wrapped = bytes.base64EncodedString(options: [
            .lineLength64Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
        let expected = try UnverifiedReceipt(contents: bytes)
        for good in [wrapped, "  \r\n" + text + "\t \n", text + "\n"] {
            #expect(try UnverifiedReceipt(base64: good) == expected)
            #expect(try UnverifiedReceipt(contents: Data(good.utf8)) == expected)
        }
        let spaced = text.replacing("+", with: " ")
        #expect(spaced != text)
        let half = text.index(text.startIndex, offsetBy: 100)
        for bad in [
            spaced, text + "=", text[..<half] + " " + text[half...], text[..<half] + "%2B" + text[half...],
            "\u{FEFF}" + text,
        ] {
            #expect(throws: refusal(.badBase64URL)) { try UnverifiedReceipt(base64: String(bad)) }
        }
        #expect(throws: refusal(.badBase64URL)) {
            try UnverifiedReceipt(base64: text.replacing("+", with: "-").replacing("/", with: "_"))
        }
    }

    @Test(.enabled(if: Fixtures.exist, Comment(rawValue: Fixtures.explanation)), arguments: Fixtures.all)
    func `Every prefix of a genuine receipt is refused`(_ file: String) async throws {
        let bytes = try Fixtures.bytes(file)
        let text = Array(try Fixtures.text(file).filter { !$0.isWhitespace }.utf8)
        for await count in Yielding(0..<bytes.count) {
            #expect(throws: VerificationError.self) { try UnverifiedReceipt(contents: Data(bytes[..<count])) }
        }
        for await count in Yielding(stride(from: 0, to: text.count, by: 7)) {
            #expect(throws: VerificationError.self) {
                try UnverifiedReceipt.transactionID(in: String(decoding: text[..<count], as: UTF8.self))
            }
        }
    }

    @Test(
        .enabled(if: Fixtures.exist, Comment(rawValue: Fixtures.explanation)),
        arguments: Fixtures.apple + Fixtures.xcode)
    func `A changed bit in the payload or the signature is refused as a bad signature`(_ file: String) async throws {
        let bytes = try Fixtures.bytes(file)
        let validator = try Fixtures.validator()
        let receipt = try #require(try validator.validate(contents: Data(bytes)).appReceipt?.payload)
        // The payload spans from before the first attribute to after the last one. The signature is at the end, or
        // before the end-of-contents octets in a receipt from Xcode.
        let bundle = try #require(Data(bytes).firstRange(of: receipt.bundleIDOctets))
        let hash = try #require(Data(bytes).firstRange(of: receipt.deviceHash))
        let end = Fixtures.xcode.contains(file) ? bytes.count - 6 : bytes.count
        for await position in Yielding(Array(bundle) + Array(hash) + Array(end - 256..<end))
        where position.isMultiple(of: 5) {
            var changed = bytes
            changed[position] ^= 1 << UInt8(position & 7)
            #expect(throws: refusal(.badSignature), "byte \(position)") {
                try validator.validate(contents: Data(changed))
            }
        }
    }

    @Test(.enabled(if: Fixtures.exist, Comment(rawValue: Fixtures.explanation)), arguments: Fixtures.all)
    func `A changed bit anywhere is refused or changes no field`(_ file: String) async throws {
        let bytes = try Fixtures.bytes(file)
        let validator = try Fixtures.validator()
        let genuine = try validator.validate(contents: Data(bytes)).payload
        for await position in Yielding(stride(from: 0, to: bytes.count, by: 29)) {
            var changed = bytes
            changed[position] ^= 1 << UInt8(position % 8)
            do {
                let payload = try validator.authenticate(contents: Data(changed)).payload
                if case .transaction(let receipt) = payload, case .transaction(let original) = genuine {
                    #expect(receipt.fields == original.fields, "byte \(position)")
                } else {
                    #expect(payload == genuine, "byte \(position)")
                }
            } catch {
                continue
            }
        }
    }
}
