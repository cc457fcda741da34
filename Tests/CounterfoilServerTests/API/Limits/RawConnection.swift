import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A TCP connection that sends any bytes, valid HTTP or not.
final class RawConnection: @unchecked Sendable {
    private let descriptor: Int32
    /// Whether the peer has closed the connection.
    private(set) var isClosed = false

    struct Failed: Error {}

    /// Connects to a server on this machine. Reading times out after ten minutes.
    init(url: String) throws {
        guard let port = URL(string: url)?.port.flatMap(UInt16.init) else { throw Failed() }
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var timeout = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failed() }
    }

    deinit { close(descriptor) }

    /// Sends a text. Returns false if the peer has closed the connection.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } >= 0
    }

    /// Sends one byte at a time, until the peer closes the connection.
    func drip(_ text: String, every milliseconds: UInt32) async {
        await run {
            for byte in text.utf8 {
                guard self.send(String(UnicodeScalar(byte))) else { return }
                usleep(milliseconds * 1000)
            }
        }
    }

    /// Closes the sending side.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until the peer closes the connection or sends nothing for ten minutes.
    func read() async -> String {
        await run {
            var text: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = recv(self.descriptor, &buffer, buffer.count, 0)
                if count > 0 {
                    text += buffer.prefix(count)
                    continue
                }
                self.isClosed = count == 0 || errno == ECONNRESET
                return String(decoding: text, as: UTF8.self)
            }
        }
    }

    /// Reads the next bytes. Returns an empty text if the peer closes the connection.
    func readSome() async -> String {
        await run {
            var buffer = [UInt8](repeating: 0, count: 65536)
            let count = recv(self.descriptor, &buffer, buffer.count, 0)
            self.isClosed = count == 0
            return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
        }
    }

    private func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: work()) }
        }
    }
}
