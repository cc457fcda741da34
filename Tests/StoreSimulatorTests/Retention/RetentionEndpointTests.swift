import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite("The Retention Messaging API of a store")
struct RetentionEndpointTests {
    static func store(_ environment: AppStoreEnvironment) -> Store {
        Store(
            environment: environment, app: SimulatedApp(), catalogue: .example,
            settings: environment == .sandbox ? .sandbox : .production, seed: 1)
    }

    static let premium = ["productId": "com.example.premium.monthly", "locale": "en-US"]

    @discardableResult
    static func send(
        _ endpoint: AppStoreEndpoint, _ path: [String: String] = [:], _ body: String = "", query: String = "",
        to store: inout Store
    ) throws -> APIResponse {
        try store.respond(
            to: APIRequest(endpoint, path: path, query: query, body: Data(body.utf8)), at: Sample.now)
    }

    @Test func `A default message in production requires an approved message and image`() throws {
        var store = Self.store(.production)
        let id = Sample.id(1)
        let image = APIRequest(
            .uploadImage, path: ["imageIdentifier": id], query: "imageSize=FULL_SIZE", body: Data(PNGWriter().file))
        #expect(try store.respond(to: image, at: Sample.now).status == 200)
        #expect(try code { try store.respond(to: image, at: Sample.now) } == .imageAlreadyExists)
        let message = #"{"header":"h","body":"b","image":{"imageIdentifier":"\#(id)","altText":"a"}}"#
        try Self.send(.uploadMessage, ["messageIdentifier": id], message, to: &store)
        let request = #"{"messageIdentifier":"\#(id)"}"#
        func setDefault() throws { try Self.send(.setDefaultMessage, Self.premium, request, to: &store) }
        #expect(try code(setDefault) == .messageNotApproved)
        _ = try store.perform(.approveMessage(message: Sample.uuid(1)), at: Sample.now)
        #expect(try code(setDefault) == .imageNotApproved)
        _ = try store.perform(.approveImage(image: Sample.uuid(1)), at: Sample.now)
        try setDefault()
        let answer = try Self.send(.defaultMessage, Self.premium, to: &store)
        guard case .model(let model as DefaultConfigurationResponse) = answer.body else {
            throw AdvancedCommerceStore.Missing()
        }
        let expected = try Sample.uuid(1)
        #expect(model.messageIdentifier == expected)
        _ = try store.perform(.rejectMessage(message: Sample.uuid(1)), at: Sample.now)
        #expect(try code(setDefault) == .messageNotApproved)
        let missing = #expect(throws: StoreError.self) {
            try store.perform(.rejectImage(image: Sample.uuid(9)), at: Sample.now)
        }
        #expect(missing?.message.hasPrefix("4040014") == true)
        try Self.send(.deleteDefaultMessage, Self.premium, to: &store)
        #expect(try code { try Self.send(.defaultMessage, Self.premium, to: &store) } == .defaultMessageNotFound)
        try Self.send(.deleteMessage, ["messageIdentifier": id], to: &store)
        try Self.send(.deleteImage, ["imageIdentifier": id], to: &store)
        #expect(try code { try Self.send(.deleteImage, ["imageIdentifier": id], to: &store) } == .imageNotFound)
    }

    @Test func `A default message for a product that is not a subscription is refused`() throws {
        var store = Self.store(.sandbox)
        for product in ["com.example.unlock", "com.example.nothing"] {
            let path = ["productId": product, "locale": "en-US"]
            #expect(try code { try Self.send(.defaultMessage, path, to: &store) } == .invalidProductId)
        }
    }

    @Test func `Performance tests run only in the sandbox, for a purchased subscription`() throws {
        let body = #"{"originalTransactionId":"1"}"#
        var production = Self.store(.production)
        #expect(try code { try Self.send(.startPerformanceTest, to: &production) } == APIErrorCode(rawValue: 404))
        var store = Self.store(.sandbox)
        let url = #"{"realtimeURL":"https://example.com/realtime"}"#
        #expect(try code { try Self.send(.setRealtimeURL, [:], url, to: &production) } == .forbiddenNoPassingTest)
        try Self.send(.setRealtimeURL, [:], url, to: &store)
        #expect(try code { try Self.send(.startPerformanceTest, [:], body, to: &store) } == .invalidTransactionId)
        let coins = try store.perform(.purchase(customer: "anna", product: "com.example.coins.100"), at: Sample.now)
        let premium = try store.perform(
            .purchase(customer: "anna", product: "com.example.premium.monthly"), at: Sample.now)
        let app = try #require(store.customers["anna"]?.appTransactionID)
        func start(_ id: String) throws {
            try Self.send(.startPerformanceTest, [:], #"{"originalTransactionId":"\#(id)"}"#, to: &store)
        }
        #expect(try code { try start(app) } == .appTransactionIdNotSupported)
        #expect(try code { try start(coins.transactionID ?? "") } == .invalidTransactionId)
        try start(premium.transactionID ?? "")
        #expect(try code { try start(premium.transactionID ?? "") } == .existingPerformanceTestRun)
    }
}
