import NIOCore

/// HTTP requests as bytes, prepared before the measurement.
enum HTTPRequests {
    static let key = "cfk_benchmark-key-of-no-value"

    static func request(_ method: String, _ path: String, _ body: String = "") -> ByteBuffer {
        ByteBuffer(
            string: "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(key)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
    }

    /// Returns requests with the notifications of these numbers, signed in two parallel tasks.
    static func notifications(of store: LoadedStore, _ numbers: some Collection<Int> & Sendable) async throws
        -> [ByteBuffer]
    {
        let middle = numbers.count / 2
        let first = Task.detached { try signed(numbers.prefix(middle), store) }
        let second = try signed(numbers.dropFirst(middle), store)
        return try await first.value + second
    }

    private static func signed(_ numbers: some Collection<Int>, _ store: LoadedStore) throws -> [ByteBuffer] {
        try numbers.map { number in
            try request("POST", "/apple/notifications", "{\"signedPayload\":\"\(store.signedPayload(number))\"}")
        }
    }
}
