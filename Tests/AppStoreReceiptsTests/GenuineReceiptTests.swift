import AppStoreReceipts
import AppStoreTrust
import Basics
import Foundation
import Testing

@Suite(.enabled(if: Fixtures.exist, Comment(rawValue: Fixtures.explanation)))
struct `Genuine receipts` {
    struct Row: Sendable, CustomStringConvertible {
        let file: String
        let environment: AppStoreEnvironment
        let created: String
        let bundleID: String
        let version: String
        let originalVersion: String?
        let count: Int
        let first: String?
        var description: String { file }
    }

    static let rows = [
        Row(
            file: "sandbox-sha256-2025.b64", environment: .sandbox, created: "2025-12-26T18:39:47Z",
            bundleID: "dev.bonzer.weeka.app", version: "2", originalVersion: "1.0", count: 2, first: "2000001092134138"),
        Row(
            file: "sandbox-sha1-2020.b64", environment: .sandbox, created: "2020-07-22T17:39:08Z",
            bundleID: "com.revenuecat.sampleapp", version: "4", originalVersion: "1.0", count: 9,
            first: "1000000692879214"),
        Row(
            file: "sandbox-sha1-g7-2023.b64", environment: .sandbox, created: "2023-02-22T14:30:15Z",
            bundleID: "com.hannesoid.PurchasingExperiments", version: "1", originalVersion: "1.0", count: 2,
            first: "2000000284164152"),
        Row(
            file: "production-macos-sha256-2023.b64", environment: .production, created: "2023-08-28T10:24:05Z",
            bundleID: "com.ideasoncanvas.mindnode.macos", version: "2023.2.2", originalVersion: "5.0", count: 3,
            first: "710000250371060"),
        Row(
            file: "production-macos-sha1-2017.b64", environment: .production, created: "2017-09-04T09:01:20Z",
            bundleID: "com.ideasoncanvas.MindNodeMac", version: "2.5.5", originalVersion: "2.5.5", count: 0, first: nil),
        Row(
            file: "xcode-2023-one-purchase.b64", environment: .xcode, created: "2023-10-19T01:45:40Z",
            bundleID: "com.example.naturelab.backyardbirds.example", version: "1", originalVersion: nil, count: 1,
            first: "0"),
        Row(
            file: "xcode-2023-empty.b64", environment: .xcode, created: "2023-10-19T01:18:54Z",
            bundleID: "com.example.naturelab.backyardbirds.example", version: "1", originalVersion: nil, count: 0,
            first: nil),
    ]

    @Test(arguments: rows)
    func `A genuine receipt has the contents its README lists, and validates as of its creation`(_ row: Row) throws {
        let text = try Fixtures.text(row.file)
        let verified = try Fixtures.validator().validate(base64: text)
        let receipt = try #require(verified.appReceipt?.payload)
        #expect(verified.text == text)
        #expect(receipt.environment == row.environment)
        #expect(receipt.creationDate == (try Date(row.created, strategy: .iso8601)))
        #expect(receipt.bundleID == row.bundleID)
        #expect(receipt.version == row.version)
        #expect(receipt.originalVersion == row.originalVersion)
        #expect(receipt.purchases.count == row.count)
        #expect(receipt.purchases.first?.transactionID == row.first)
        #expect(try UnverifiedReceipt(base64: text).content == verified.payload)
        #expect(try UnverifiedReceipt(contents: Data(Fixtures.bytes(row.file))).content == verified.payload)
        #expect(try UnverifiedReceipt.transactionID(in: text) == row.first)
        #expect(verified.trace.validatedAt == receipt.creationDate)
        #expect(verified.trace.certificates.count == (row.environment == .xcode ? 1 : 3))
    }

    @Test(arguments: Fixtures.apple)
    func `A genuine receipt validates with the built-in anchors and with the root from a file`(_ file: String) throws {
        let text = try Fixtures.text(file)
        let own = try TrustAnchors(certificates: [Fixtures.certificate("AppleRootCA.cer")])
        #expect(try ReceiptValidator().validate(base64: text).trace.anchor == "Apple Root CA")
        #expect(try ReceiptValidator(anchors: own).validate(base64: text).trace.anchor == "Apple Root CA")
        let other = try TrustAnchors(certificates: [Fixtures.certificate("AppleWWDRCA-2013.cer")])
        #expect(throws: refusal(.untrustedRoot)) {
            try ReceiptValidator(anchors: other).validate(base64: text)
        }
    }

    @Test(arguments: Fixtures.apple + [Fixtures.legacy])
    func `A genuine receipt is refused after its certificates have expired`(_ file: String) throws {
        var validator = try Fixtures.validator()
        validator.validationTime = .now
        // The last known leaf expires on 2026-08-23.
        validator.now = { Date(timeIntervalSince1970: 1_790_000_000) }
        #expect(throws: refusal(.expiredOrNotYetValid)) {
            try validator.validate(base64: Fixtures.text(file))
        }
    }

    @Test(arguments: [
        // The README of the fixtures has a wrong digit in this identifier (…bb95…). Only this one matches the hash.
        ("sandbox-sha1-g7-2023.b64", "e618109862dd433fbb94675d3815d263"),
        ("production-macos-sha256-2023.b64", "f8ffc21e9182"), ("production-macos-sha1-2017.b64", "6c4008b5945e"),
    ])
    func `A genuine receipt validates for the device it was made for, and no other`(
        _ file: String, _ identifier: String
    ) throws {
        let device = try #require([UInt8](hexadecimal: identifier))
        let text = try Fixtures.text(file)
        _ = try ReceiptValidator().validate(base64: text, deviceID: Data(device))
        #expect(throws: refusal(.wrongDevice)) {
            try ReceiptValidator().validate(base64: text, deviceID: Data(device.reversed()))
        }
        #expect(throws: refusal(.wrongDevice)) {
            try ReceiptValidator().validate(base64: text, deviceID: Data())
        }
    }

    @Test(arguments: Fixtures.xcode)
    func `An Xcode receipt is refused unless its certificate is enrolled`(_ file: String) throws {
        let text = try Fixtures.text(file)
        #expect(throws: refusal(.notEnrolled)) { try ReceiptValidator().validate(base64: text) }
        var validator = try Fixtures.validator()
        validator.environments = [.production, .sandbox]
        #expect(throws: refusal(.wrongEnvironment)) { try validator.validate(base64: text) }
        validator.environments = [.xcode]
        #expect(try validator.validate(base64: text).trace.anchor == "StoreKit")
        validator.validationTime = .at(Date(timeIntervalSince1970: 0))
        #expect(throws: refusal(.expiredOrNotYetValid)) { try validator.validate(base64: text) }
    }
}
