import Foundation
import TestSupport
import Testing

@testable import CounterfoilServer

/// The client package has no dependencies, so it repeats these values of the server.
@Suite struct `The client package` {
    private static func source(_ name: String) throws -> String {
        try Fixtures.file("Client/Sources/CounterfoilClient/Backend/\(name).swift")
    }

    @Test func `The largest report of the client, of the server and of openapi.yaml are the same`() throws {
        let client = try #require(try Self.source("Backend").firstMatch(of: /static let maximum = ([0-9]+)/))
        #expect(Int(client.output.1) == PurchaseReportBody.maximumTransactions)
        let document = try DescribedAPI.current.get().document
        for list in ["signed_transactions", "signed_renewals"] {
            let schema = try DescribedAPI.resolve("#/components/schemas/PurchaseReport/properties/\(list)", document)
            #expect(schema["maxItems"] as? Int == PurchaseReportBody.maximumTransactions, "\(list)")
        }
    }

    @Test func `The client has the names of the server's headers, and the version of its signatures`() throws {
        let backend = try Self.source("HTTPBackend")
        for name in [CustomerToken.header, ResponseSignature.nonceHeader, ResponseSignature.signatureHeader] {
            #expect(backend.contains("\"\(name)\""), "\(name)")
        }
        let message = String(decoding: ResponseSignature.message("anna", "nonce", 1, []), as: UTF8.self)
        let version = try #require(message.split(separator: "\n").first)
        #expect(try Self.source("ResponseVerifier").contains("\"\(version)\\n"), "\(version)")
    }

    @Test func `The error codes for which the client has a rule are the server's, or its own`() throws {
        let source = try Self.source("Backend")
        let list = try #require(source.firstMatch(of: /mistakesOfTheApp: Set<String> = \[([^\]]+)\]/))
        var codes = Set(list.output.1.matches(of: /"([a-z_]+)"/).map { String($0.output.1) })
        codes.formUnion(source.matches(of: /code == "([a-z_]+)"/).map { String($0.output.1) })
        #expect(codes.count > 6)
        let known = try DescribedAPI.current.get().errorCodes
        #expect(codes.subtracting(known) == ["bad_request", "invalid_response"])
    }
}
