package import Foundation
internal import NIOCore
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A server on 127.0.0.1 that reads one request per connection and sends fixed bytes as the answer. Without an answer,
/// or if `staysOpen` is true, it leaves the connection open.
package final class LoopbackServer: Sendable {
    package let port: UInt16
    private let listener: Int32
    private let received = Mutex<[String]>([])

    /// The received requests, one text each.
    package var requests: [String] { received.withLock { $0 } }

    /// Listens at any free port.
    package init(answer: Data?, staysOpen: Bool = false) throws {
        (listener, port) = try boundSocket(at: 0)
        guard listen(listener, 8) == 0 else {
            close(listener)
            throw CocoaError(.fileNoSuchFile)
        }
        let listener = listener
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    // Only here: if it were closed earlier, a new server could get the same descriptor, and this thread
                    // its connections.
                    close(listener)
                    return
                }
                serve(connection, answer, staysOpen)
            }
        }
    }

    package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// An HTTP answer with `Connection: close`.
    package static func answer(_ status: String, _ headers: [String] = [], _ body: Data) -> Data {
        let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)", "Connection: close"] + headers
        return Data((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    private func serve(_ connection: Int32, _ answer: Data?, _ staysOpen: Bool) {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !isWhole(text) {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { break }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        received.withLock { $0.append(text) }
        // Without an answer the connection stays open until the process ends.
        guard let answer else { return }
        answer.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes[0..<bytes.count]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                #if canImport(Darwin)
                    let count = send(connection, part.baseAddress, part.count, 0)
                #else
                    let count = send(connection, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                #endif
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
        }
        if !staysOpen { close(connection) }
    }

    private func isWhole(_ text: String) -> Bool {
        guard let head = text.range(of: "\r\n\r\n") else { return false }
        let line = text[..<head.lowerBound].lowercased().split(separator: "\r\n").first {
            $0.hasPrefix("content-length:")
        }
        let length = line.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
        return text[head.upperBound...].utf8.count >= length
    }
}

/// A port of 127.0.0.1 that refuses connections until it is released. It is bound, so that no other test gets it, and
/// does not listen.
package final class ClosedPort: Sendable {
    package let number: UInt16
    private let descriptor: Int32

    /// Binds a port, or any free one.
    package init(at port: UInt16 = 0) throws { (descriptor, number) = try boundSocket(at: port) }

    /// Binds a port below the ephemeral range, so that no other program gets the port between its release and its use.
    package static func belowEphemeralRange() throws -> ClosedPort {
        for _ in 0..<100 {
            // The port may be in use.
            do { return try ClosedPort(at: .random(in: 10_000..<32_768)) } catch is CocoaError {}
        }
        return try ClosedPort()
    }

    package func release() { close(descriptor) }
}

/// Binds a socket to a port of 127.0.0.1, or to any free port if `number` is 0.
private func boundSocket(at number: UInt16) throws -> (descriptor: Int32, port: UInt16) {
    #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    do {
        // Not with `sockaddr_in`: the C library and SwiftNIO's module both define it.
        let isBound = try SocketAddress(ipAddress: "127.0.0.1", port: Int(number)).withSockAddr { address, size in
            bind(descriptor, address, socklen_t(size)) == 0
        }
        // The port is in the third and fourth byte, the greater one first.
        var bytes = [UInt8](repeating: 0, count: 128)
        var size = socklen_t(bytes.count)
        let isKnown = bytes.withUnsafeMutableBytes { buffer in
            getsockname(descriptor, buffer.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size) == 0
        }
        guard isBound, isKnown else { throw CocoaError(.fileNoSuchFile) }
        return (descriptor, UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
    } catch {
        close(descriptor)
        throw error
    }
}
