import AppStoreModels
import Foundation
import StoreSimulator
import Testing

@Suite struct `Failures of the Retention Messaging API` {
    struct Row: Sendable, CustomTestStringConvertible {
        let code: APIErrorCode?
        let testDescription: String
        let environment: AppStoreEnvironment
        let work: @Sendable (inout RetentionMessaging) throws -> Void

        init(
            _ code: APIErrorCode?, _ description: String, in environment: AppStoreEnvironment = .sandbox,
            _ work: @escaping @Sendable (inout RetentionMessaging) throws -> Void
        ) {
            self.code = code
            testDescription = description
            self.environment = environment
            self.work = work
        }
    }

    static func image(
        _ code: APIErrorCode?, _ description: String, id: String = Sample.id(8), size: String? = nil,
        _ writer: PNGWriter = PNGWriter()
    ) -> Row {
        let file = writer.file
        return Row(code, description) { try $0.uploadImage(id, size: size, bytes: file) }
    }

    static func message(_ code: APIErrorCode?, _ description: String, id: String = Sample.id(8), _ json: String) -> Row
    {
        Row(code, description) { try $0.uploadMessage(id, body: Sample.body(json)) }
    }

    static func setDefault(
        _ code: APIErrorCode?, _ description: String, in environment: AppStoreEnvironment = .sandbox,
        product: String = "pro", locale: String = "en", id: String = Sample.id(1), approved: Bool = false
    ) -> Row {
        Row(code, description, in: environment) { messaging in
            if approved { try messaging.decide(message: Sample.uuid(1), .approved) }
            try messaging.setDefaultMessage(
                product: product, locale: locale, body: Sample.body(#"{"messageIdentifier":"\#(id)"}"#),
                isSubscription: Sample.isSubscription)
        }
    }

    static func url(_ code: APIErrorCode?, _ description: String, _ json: String) -> Row {
        Row(code, description) { try $0.setRealtimeURL(Sample.body(json), hasPassedTest: true) }
    }

    static func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    static func image(_ id: Int, alt: Int = 1) -> String {
        #"{"imageIdentifier":"\#(Sample.id(id))","altText":"\#(text(alt))","text":"t"}"#
    }

    static let images = [
        image(nil, "identifier", id: "1"), image(.badRequestImageSize, "imageSize", size: "HUGE"),
        image(.badRequestImageSize, "empty imageSize", size: ""),
        image(.invalidImage, "width", PNGWriter(width: 3839)), image(.invalidImage, "height", PNGWriter(height: 159)),
        image(.invalidImage, "too high", PNGWriter(height: 2161)),
        image(.invalidImage, "not a bullet point's size", size: "BULLET_POINT"),
        image(.invalidImage, "alpha", PNGWriter(colour: 6)),
        image(.imageAlreadyExists, "used before", id: Sample.id(1)),
        Row(.invalidImage, "not PNG") { try $0.uploadImage(Sample.id(8), bytes: Array("GIF89a".utf8)) },
        Row(nil, "identifier to delete") { try $0.deleteImage("list") },
        Row(.imageNotFound, "nothing to delete") { try $0.deleteImage(Sample.id(8)) },
        Row(.imageInUse, "in use") { try $0.deleteImage(Sample.id(1)) },
    ]

    static let messages = [
        message(nil, "identifier", id: "x", #"{"header":"h","body":"b"}"#),
        message(nil, "no header", #"{"body":"b"}"#), message(nil, "no body", #"{"header":"h","body":null}"#),
        message(nil, "header of another type", #"{"header":1,"body":"b"}"#),
        message(.headerTooLong, "header", #"{"header":"\#(text(67))","body":"b"}"#),
        message(.bodyTooLong, "body", #"{"header":"h","body":"\#(text(145))"}"#),
        message(.altTextTooLong, "altText", #"{"header":"h","body":"b","image":\#(image(1, alt: 151))}"#),
        message(nil, "headerPosition", #"{"header":"h","body":"b","headerPosition":"BELOW"}"#),
        message(
            .badRequestAboveImageRequiresAnImage, "ABOVE_IMAGE",
            #"{"header":"h","body":"b","headerPosition":"ABOVE_IMAGE"}"#),
        message(.badRequestImageSize, "small image", #"{"header":"h","body":"b","image":\#(image(2))}"#),
        message(.badRequestImageSize, "unknown image", #"{"header":"h","body":"b","image":\#(image(9))}"#),
        message(.badRequestImageSize, "large point", #"{"header":"h","body":"b","bulletPoints":[\#(image(1))]}"#),
        message(.altTextTooLong, "a point", #"{"header":"h","body":"b","bulletPoints":[\#(image(2, alt: 151))]}"#),
        message(
            .badRequestBulletPointTextTooLong, "text of a point",
            #"{"header":"h","body":"b","bulletPoints":[{"text":"\#(text(67))"}]}"#),
        message(
            .badRequestTooManyBulletPoints, "six points",
            #"{"header":"h","body":"b","bulletPoints":[{},{},{},{},{},{}]}"#),
        message(.messageAlreadyExists, "used before", id: Sample.id(1), #"{"header":"h","body":"b"}"#),
        Row(nil, "identifier to delete") { try $0.deleteMessage("list") },
        Row(.messageNotFound, "nothing to delete") { try $0.deleteMessage(Sample.id(8)) },
    ]

    static let defaults = [
        setDefault(.invalidProductId, "product", product: "nothing"),
        setDefault(.invalidLocale, "locale", locale: "en_US"),
        setDefault(nil, "messageIdentifier", id: "x"), setDefault(.messageNotFound, "message", id: Sample.id(9)),
        setDefault(.messageNotApproved, "pending message", in: .production),
        setDefault(.imageNotApproved, "pending image", in: .production, approved: true),
        Row(.defaultMessageNotFound, "no default") {
            _ = try $0.defaultMessage(product: "pro", locale: "en", isSubscription: Sample.isSubscription)
        },
        Row(.invalidProductId, "product to read") {
            _ = try $0.defaultMessage(product: "", locale: "en", isSubscription: Sample.isSubscription)
        },
        Row(.invalidLocale, "locale to delete") {
            try $0.deleteDefaultMessage(product: "pro", locale: "", isSubscription: Sample.isSubscription)
        },
    ]

    static let urls =
        [
            "http://example.com", "ftp://example.com", "https://", "example.com", "https://u:p@example.com",
            "https://example.com#f", "https://example.com:80", "https://example.com:0", "https://example.com:65536",
            "https://exa mple.com", "https://é.example", "http://127.0.0.1.example.com", "http://127.1",
            "https://example.com/" + text(237), "",
        ].map { url(.badRequestRealtimeUrl, $0, #"{"realtimeURL":"\#($0)"}"#) } + [
            url(.badRequestRealtimeUrl, "no URL", "{}"), url(.badRequestRealtimeUrl, "no text", #"{"realtimeURL":1}"#),
            Row(.forbiddenNoPassingTest, "no test", in: .production) {
                try $0.setRealtimeURL(Sample.body(#"{"realtimeURL":"https://example.com"}"#), hasPassedTest: false)
            },
            Row(.realtimeUrlNotFound, "no URL to read") { _ = try $0.realtimeURLResponse() },
        ]

    static let tests = [
        Row(.invalidPerformanceTestRequest, "no transaction") { try Self.start(&$0, "{}") },
        Row(.invalidPerformanceTestRequest, "a number") { try Self.start(&$0, #"{"originalTransactionId":1}"#) },
        Row(.invalidPerformanceTestRequest, "no URL") { try Self.start(&$0, #"{"originalTransactionId":"1"}"#) },
        Row(.transactionIdIsNotOriginalTransactionId, "refused by the store") {
            try Self.start(
                &$0, #"{"originalTransactionId":"1"}"#, APIFailure(.transactionIdIsNotOriginalTransactionId, ""))
        },
        Row(.invalidRequestId, "identifier") { _ = try $0.performanceTest("x", now: Sample.now) },
        Row(.performanceTestRunNotFound, "no test") { _ = try $0.performanceTest(Sample.id(9), now: Sample.now) },
    ]

    static func start(_ messaging: inout RetentionMessaging, _ json: String, _ failure: APIFailure? = nil) throws {
        _ = try messaging.startPerformanceTest(
            Sample.body(json), id: Sample.uuid(9), now: Sample.now,
            check: { _ throws(APIFailure) in if let failure { throw failure } })
    }

    @Test(arguments: images + messages + defaults + urls + tests)
    func `A refused Retention Messaging request has the documented code and changes nothing`(_ row: Row) throws {
        var messaging = try Sample.messaging(row.environment)
        if row.code == .imageNotApproved { try messaging.decide(message: Sample.uuid(1), .approved) }
        let before = messaging
        let failure = try #require(try failure { try row.work(&messaging) })
        #expect(failure.code == row.code)
        #expect(row.code != nil || failure.status == 400)
        #expect(messaging == before)
    }
}
