import Testing

@testable import LedgerServices

/// What is stored of a refused delivery.
extension `verifyReceipt clients and notifications of version 1` {
    @Test(arguments: [
        (
            #"{"notification_type":"A","password":"abc","x":["abcd","abc","\"abc"]}"#,
            #"{"notification_type":"A","password":"***","x":["abcd","***","\"***"]}"#
        ),
        (#"{"notification_type":"A","password":"a\u0062c"}"#, ""),
        (#"{"notification_type":"A","password":"a\",\"b","x":["a","b"]}"#, ""),
        (#"{"notification_type":"A","password":""}"#, #"{"notification_type":"A","password":""}"#),
        (#"{"receipt-data":"x","password":"abc"}"#, #"{"receipt-data":"x","password":"***"}"#),
        (
            #"{"notification_type":"A","password":"abc","unified_receipt":{"latest_receipt":5}}"#,
            #"{"notification_type":"A","password":"***","unified_receipt":{"latest_receipt":5}}"#
        ),
        (#"{"password":5}"#, ""), (#"{"p\u0061ssword":5}"#, ""), (#"{"p\u0061ssword":"abc"#, ""),
        (#"{"p\u0061ssword":"abc"}"#, ""), (#"{"receipt-data":"x","password":"abc"#, ""),
        (#"{"receipt-data":"a\/b""#, #"{"receipt-data":"a\/b""#),
        (#"{"password":"abc","password":"abd"}"#, ""), ("receipt-data=x&password=abc", ""),
        (#"{"receipt-data":"x""#, #"{"receipt-data":"x""#), ("abc", "abc"),
    ])
    func `The shared secret in a refused delivery is replaced, or nothing is stored`(
        _ body: String, _ stored: String
    ) {
        #expect(String(decoding: NotificationV1.withoutPassword(Array(body.utf8)), as: UTF8.self) == stored)
    }

    /// Anybody can send such a notification. A quadratic search takes minutes.
    @Test(.timeLimit(.minutes(1))) func `A long shared secret with repetitions is found in linear time`() {
        let (long, secret) = (String(repeating: "a", count: 500_000), String(repeating: "a", count: 400_000) + "b")
        let body = #"{"notification_type":"A","x":"\#(long)","password":"\#(secret)"}"#
        let stored = NotificationV1.withoutPassword(Array(body.utf8))
        #expect(stored == Array(#"{"notification_type":"A","x":"\#(long)","password":"***"}"#.utf8))
    }
}
