import CounterfoilServer
import Foundation
import Logging
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct `The log of a server` {
    @Test func `A full pipe does not block logging, and the number of lost lines is logged`() throws {
        try Self.withPipe { reading, writing in
            let filling = Self.fill(writing)
            try #require(filling > 0)
            let output = LogOutput(writing, timeout: 0)
            let logger = Logger(label: "test") { _ in
                ServerLogHandler(ServerConfiguration.Log(), now: { World.start }) { output.write($0, gap: $1) }
            }
            for count in 1...3 { logger.info("lost", metadata: ["count": "\(count)"]) }
            #expect(Self.read(reading).count == filling)
            for count in 4...5 { logger.info("kept", metadata: ["count": "\(count)"]) }
            let time = "2026-05-28T20:26:40.000Z"
            #expect(
                Self.read(reading) == """
                    \(time) warning lines of the log were lost, because they could not be written count=3
                    \(time) info kept count=4
                    \(time) info kept count=5

                    """)
        }
    }

    @Test func `After a truncated line, the next entry starts on a new line`() throws {
        try Self.withPipe { reading, writing in
            let output = LogOutput(writing, timeout: 0)
            // Larger than the buffer of any pipe.
            output.write([UInt8](repeating: UInt8(ascii: "x"), count: 2 << 20) + Array("\n".utf8))
            let part = Self.read(reading)
            #expect(!part.isEmpty && part.allSatisfy { $0 == "x" })
            output.write(Array("whole\n".utf8)) { Array("lost \($0)\n".utf8) }
            #expect(Self.read(reading) == "\nlost 1\nwhole\n")
        }
    }

    @Test func `Lines wait for a slow reader up to a second at once, and a hundredth of the time in the long run`() {
        let start = ContinuousClock.now
        var allowance = WaitAllowance(.seconds(1), at: start)
        #expect(allowance.limit(at: start) == .seconds(1))
        // The reader takes one line every 900 milliseconds.
        var (now, waited) = (start, Duration.zero)
        for _ in 0..<1000 {
            let time = min(allowance.limit(at: now), .milliseconds(900))
            allowance.spend(time)
            waited += time
            now += .milliseconds(900)
        }
        #expect(waited > .seconds(9) && waited < .seconds(10))
        // After a hundred seconds without a wait, a line may wait for a second again.
        #expect(allowance.limit(at: now + .seconds(100)) == .seconds(1))
    }

    private static func withPipe(_ body: (_ reading: Int32, _ writing: Int32) throws -> Void) throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try body(ends[0], ends[1])
    }

    /// Fills the pipe. Returns the number of bytes written.
    private static func fill(_ writing: Int32) -> Int {
        let flags = fcntl(writing, F_GETFL)
        guard flags >= 0, fcntl(writing, F_SETFL, flags | O_NONBLOCK) == 0 else { return 0 }
        defer { _ = fcntl(writing, F_SETFL, flags) }
        let page = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
        var filled = 0
        while true {
            let count = page.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
            guard count > 0 else { return filled }
            filled += count
        }
    }

    /// Reads the bytes that are in the pipe now.
    private static func read(_ reading: Int32) -> String {
        var bytes: [UInt8] = []
        var state = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while poll(&state, 1, 0) > 0 {
            let count = buffer.withUnsafeMutableBytes { Foundation.read(reading, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
