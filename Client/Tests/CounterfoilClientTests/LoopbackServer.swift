import Foundation

/// An HTTP server on 127.0.0.1 that gives every request the same answer or none, for tests that need real sockets.
final class LoopbackServer: Sendable {
    let url: URL
    /// The first line of the latest request.
    let requests: AsyncStream<String>
    private let listener: Int32

    struct NotStarted: Error {}

    /// - Parameter answer: The body of every answer; nil leaves requests unanswered.
    init(answer: String?) throws {
        #if canImport(Glibc)
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1024) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw NotStarted()
        }
        self.url = url
        let (requests, request) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
        self.requests = requests
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { Self.serve(connection, answer, request) }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(
        _ connection: Int32, _ answer: String?, _ request: AsyncStream<String>.Continuation
    ) {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            text += buffer.prefix(count)
            // No request of these tests has a body.
            guard text.suffix(4) == Array("\r\n\r\n".utf8) else { continue }
            request.yield(String(decoding: text.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self))
            text = []
            guard let answer else { continue }
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(answer.utf8.count)\r\n\r\n"
            let bytes = Array((head + answer).utf8)
            #if canImport(Glibc)
                let sent = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            #else
                let sent = send(connection, bytes, bytes.count, 0)
            #endif
            guard sent == bytes.count else { break }
        }
        close(connection)
    }
}
