import CounterfoilServer
import Foundation
import Logging
import Testing

@testable import Ledger

@Suite struct `Log format` {
    @Test func `A text line contains level, message and sorted metadata, with control characters escaped`() {
        let line = Self.line(.text) { logger in
            logger.info("kept", metadata: ["count": "3", "reason": "a \"b\"\nc\u{1B}[2J", "empty": ""])
        }
        #expect(
            line == #"2026-05-28T20:26:40.000Z info kept count=3 empty="" reason="a \"b\"\u{a}c\u{1b}[2J""# + "\n")
    }

    @Test(arguments: [("a\" b=c", #"a\" b=c"#), ("a\\\" b=c", #"a\\\" b=c"#), ("a\"\u{301} b=c", "a\\\"\u{301} b=c")])
    func `A value cannot end its quotes early`(value: String, written: String) {
        let line = Self.line(.text) { $0.info("kept", metadata: ["name": "\(value)"]) }
        #expect(
            line.unicodeScalars.elementsEqual("2026-05-28T20:26:40.000Z info kept name=\"\(written)\"\n".unicodeScalars)
        )
    }

    @Test func `A JSON line contains time, level, message and metadata`() throws {
        let line = Self.line(.json) { logger in
            var logger = logger
            logger[metadataKey: "request"] = "7"
            logger.error("no \"disk\"\n", metadata: ["reason": "full"])
        }
        #expect(
            line == #"{"time":"2026-05-28T20:26:40.000Z","level":"error","message":"no \"disk\"\n","#
                + #""metadata":{"reason":"full","request":"7"}}"# + "\n")
        #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
        #expect(!Self.line(.json) { $0.info("x") }.contains("metadata"))
    }

    @Test func `A JSON line escapes control characters and characters that change the direction, and stays equal`()
        throws
    {
        let value = "a\u{7F}\u{9B}31m\u{2028}\u{202E}\u{E0001}é"
        let line = Self.line(.json) { $0.info("x", metadata: ["\u{85}": "\(value)"]) }
        #expect(line.hasSuffix(#"{"\u0085":"a\u007f\u009b31m\u2028\u202e\udb40\udc01é"}}"# + "\n"))
        let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(json?["metadata"] as? [String: String] == ["\u{85}": value])
    }

    @Test func `The reason of an error omits the contents of errors from other modules`() {
        struct Odd: Error { let payload = "anna" }
        #expect(StorageError(.full, "no room").logReason == "storage_full: no room")
        #expect(!Odd().logReason.contains("anna"))
        #expect(CancellationError().logReason == "the task was cancelled")
        let unread = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Int].self, from: Data(#""anna""#.utf8))
        }
        #expect(unread?.logReason.contains("anna") == false)
    }

    @Test func `Messages below the log level are not written`() {
        #expect(Self.line(.json) { $0.debug("x") }.isEmpty)
    }

    private static func line(_ format: ServerConfiguration.LogFormat, _ body: (Logger) -> Void) -> String {
        let lines = LogCapture()
        var log = ServerConfiguration.Log()
        log.format = format
        body(lines.logger(log))
        return lines.text
    }
}
