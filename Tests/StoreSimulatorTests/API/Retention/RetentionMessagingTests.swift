import AppStoreModels
import Foundation
import StoreSimulator
import Testing

/// Identifiers and bodies for the tests of the Retention Messaging API.
enum Sample {
    static let now = Date(timeIntervalSince1970: 1_760_000_000)

    static func id(_ number: Int) -> String {
        "00000000-0000-4000-8000-" + String(number + 1_000_000_000_000).dropFirst()
    }

    static func uuid(_ number: Int) throws -> UUID { try #require(UUID(uuidString: id(number))) }

    static func body(_ json: String) throws -> RequestBody { try RequestBody(Array(json.utf8)) }

    static func isSubscription(_ product: String) -> Bool { product == "pro" || product == "plus" }

    /// Returns a state with image 1 in full size, image 2 for bullet points, message 1 with image 1 and message 2 with
    /// text only.
    static func messaging(_ environment: AppStoreEnvironment = .sandbox) throws -> RetentionMessaging {
        var messaging = RetentionMessaging(environment: environment)
        try messaging.uploadImage(id(1), bytes: PNGWriter().file)
        try messaging.uploadImage(id(2), size: "BULLET_POINT", bytes: PNGWriter(width: 1024, height: 1024).file)
        try messaging.uploadMessage(
            id(1), body: body(#"{"header":"h","body":"b","image":{"imageIdentifier":"\#(id(1))","altText":"a"}}"#))
        try messaging.uploadMessage(id(2), body: body(#"{"header":"h","body":"b"}"#))
        return messaging
    }
}

@Suite struct `Retention messages` {
    @Test func `Messages and images are approved at once in the sandbox, and by decision in production`() throws {
        let sandbox = try Sample.messaging()
        #expect(sandbox.imageList().imageIdentifiers.map(\.imageState) == [.approved, .approved])
        #expect(sandbox.imageList().imageIdentifiers.map(\.imageSize) == [.fullSize, .bulletPoint])
        #expect(sandbox.messageList().messageIdentifiers.map(\.messageState) == [.approved, .approved])

        var production = try Sample.messaging(.production)
        let message = try #require(production.message(try Sample.uuid(1)))
        #expect(production.imageList().imageIdentifiers.map(\.imageState) == [.pending, .pending])
        try production.decide(message: Sample.uuid(1), .approved)
        try production.decide(image: Sample.uuid(2), .rejected)
        #expect(!production.isApproved(message))
        #expect(production.imageList().imageIdentifiers.map(\.imageState) == [.pending, .rejected])
        let decided = try #require(production.message(try Sample.uuid(1)))
        #expect(!production.isApproved(decided))
        try production.decide(image: Sample.uuid(1), .approved)
        #expect(production.isApproved(decided))
        #expect(try code { try production.decide(image: Sample.uuid(9), .approved) } == .imageNotFound)
        #expect(try code { try production.decide(message: Sample.uuid(9), .approved) } == .messageNotFound)
    }

    @Test func `An image in use cannot be deleted, and deleting a message deletes its defaults`() throws {
        var messaging = try Sample.messaging()
        try messaging.setDefaultMessage(
            product: "pro", locale: "en-US",
            body: Sample.body(#"{"messageIdentifier":"\#(Sample.id(1).uppercased())"}"#),
            isSubscription: Sample.isSubscription)
        #expect(try code { try messaging.deleteImage(Sample.id(1)) } == .imageInUse)
        try messaging.deleteMessage(Sample.id(1))
        try messaging.deleteImage(Sample.id(1))
        #expect(messaging.defaults.isEmpty)
        #expect(try code { try messaging.deleteImage(Sample.id(1)) } == .imageNotFound)
        #expect(try code { try messaging.deleteMessage(Sample.id(1)) } == .messageNotFound)
        #expect(messaging.imageList().imageIdentifiers.map(\.imageIdentifier) == [try Sample.uuid(2)])
    }

    @Test func `A product has one default message for a locale, whatever the locale's letter case`() throws {
        var messaging = try Sample.messaging()
        for id in [1, 2] {
            try messaging.setDefaultMessage(
                product: "pro", locale: id == 1 ? "en-us" : "en-US",
                body: Sample.body(#"{"messageIdentifier":"\#(Sample.id(id))"}"#), isSubscription: Sample.isSubscription)
        }
        let found = try messaging.defaultMessage(
            product: "pro", locale: "EN-us", isSubscription: Sample.isSubscription)
        #expect(found.messageIdentifier == (try Sample.uuid(2)))
        #expect(messaging.defaults.count == 1)
        for (product, locale) in [("plus", "en-US"), ("pro", "en")] {
            let found = try code {
                try messaging.defaultMessage(product: product, locale: locale, isSubscription: Sample.isSubscription)
            }
            #expect(found == .defaultMessageNotFound)
        }
        for _ in 0..<2 {
            try messaging.deleteDefaultMessage(
                product: "pro", locale: "en-US", isSubscription: Sample.isSubscription)
        }
        #expect(messaging.defaults.isEmpty)
    }

    @Test func `A message with texts, bullet points and images exactly at their limits is accepted`() throws {
        var messaging = try Sample.messaging()
        let point = """
            {"text":"\(text(66))","imageIdentifier":"\(Sample.id(2))","altText":"\(text(150))"}
            """
        try messaging.uploadMessage(
            Sample.id(3),
            body: Sample.body(
                """
                {"header":"\(text(66))","body":"\(text(144))","headerPosition":"ABOVE_IMAGE",
                "image":{"imageIdentifier":"\(Sample.id(1))","altText":"\(text(150))"},
                "bulletPoints":[\(Array(repeating: point, count: 5).joined(separator: ","))]}
                """))
        #expect(messaging.message(try Sample.uuid(3))?.images.count == 6)
        #expect(try code { try messaging.deleteImage(Sample.id(2)) } == .imageInUse)
        for (width, height) in [(3840, 160), (3840, 2160)] as [(UInt32, UInt32)] {
            try messaging.uploadImage(Sample.id(Int(height)), bytes: PNGWriter(width: width, height: height).file)
        }
    }

    private func text(_ count: Int) -> String { String(repeating: "é", count: count) }

    @Test func `RetentionMessaging is equal after JSON encoding and decoding`() throws {
        var messaging = try Sample.messaging()
        try messaging.setRealtimeURL(Sample.body(#"{"realtimeURL":"https://example.com"}"#), hasPassedTest: false)
        _ = try messaging.startPerformanceTest(
            Sample.body(#"{"originalTransactionId":"1"}"#), id: Sample.uuid(7), now: Sample.now, check: { _ in })
        messaging.record(.success, milliseconds: 5, forTest: try Sample.uuid(7), now: Sample.now)
        let copy = try JSONDecoder().decode(RetentionMessaging.self, from: JSONEncoder().encode(messaging))
        #expect(copy == messaging)
    }

    @Test func `Image 2001 and message 2001 are refused`() throws {
        var messaging = RetentionMessaging(environment: .sandbox)
        let file = PNGWriter().file
        let body = try Sample.body(#"{"header":"h","body":"b"}"#)
        for number in 0..<2000 {
            try messaging.uploadImage(Sample.id(number), bytes: file)
            try messaging.uploadMessage(Sample.id(number), body: body)
        }
        #expect(
            try code { try messaging.uploadImage(Sample.id(2000), bytes: file) } == .maximumNumberOfImagesReached)
        #expect(
            try code { try messaging.uploadMessage(Sample.id(2000), body: body) } == .maximumNumberOfMessagesReached)
        #expect(try code { try messaging.uploadImage(Sample.id(0), bytes: file) } == .imageAlreadyExists)
        #expect(try code { try messaging.uploadMessage(Sample.id(0), body: body) } == .messageAlreadyExists)
    }

    @Test func `RetentionLocale normalizes language tags and refuses malformed ones`() {
        for (text, tag) in [
            ("en", "en"), ("EN-us", "en-US"), ("zh-hant-tw", "zh-Hant-TW"), ("es-419", "es-419"), ("fil", "fil"),
            ("ca-ES-valencia", "ca-ES-valencia"), ("de-1996", "de-1996"),
        ] { #expect(RetentionLocale(text)?.text == tag) }
        for text in [
            "", "e", "english", "en_US", "en-", "-US", "en--US", "en-USA", "en-US-", "e1", "ën", "en-U1", "zh-Hant1-",
            "en-US-x", String(repeating: "a", count: 100),
        ] { #expect(RetentionLocale(text) == nil, "\(text)") }
    }
}
