import ClientWorld
import CounterfoilClient
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The arguments of one verification.
private struct Verification: Hashable, Sendable {
    var signature: Data
    var message: Data
    var key: Data
}

private final class Log: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var entries: [Verification] = []

    func add(_ entry: Verification) { lock.withLock { entries.append(entry) } }
    var all: [Verification] { lock.withLock { entries } }
}

@Suite(.timeLimit(.minutes(10)))
struct `Verification of signed responses` {
    private static let body = """
        {"id": "anna/ö", "as_of": 1750000000000, "entitlements": [], "groups": [], "consumables": []}
        """
    private let keys = [Data(repeating: 1, count: 32), Data(repeating: 2, count: 32)]
    private let customer = CustomerCredential(customer: "anna/ö", token: "token")

    private func answer(_ header: String?) -> StubProtocol.Answer {
        var headers = ["Content-Type": "application/json; charset=utf-8"]
        headers["Counterfoil-Signature"] = header
        return .init(headers: headers, body: Self.body)
    }

    @Test func `The proof verifies customer, nonce, time and body with each key`() async throws {
        let log = Log()
        let verifier = ResponseVerifier(keys: keys) { signature, message, key in
            log.add(Verification(signature: signature, message: message, key: key))
            return key == Data(repeating: 2, count: 32)
        }
        let (backend, request) = try StubProtocol.backend(answer("1750000000123.-_8"), verifier: verifier)
        #expect(try await backend.customer(customer, environment: nil).id == "anna/ö")
        let nonce = try #require(request()?.value(forHTTPHeaderField: "Counterfoil-Nonce"))
        // The format that the server requires.
        #expect(nonce.range(of: "^[A-Za-z0-9_-]{16,64}$", options: .regularExpression) != nil)
        let message = Data("counterfoil-answer-1\nanna/ö\n\(nonce)\n1750000000123\n\(Self.body)".utf8)
        #expect(log.all.map(\.key) == keys)
        #expect(log.all.allSatisfy { $0.message == message && $0.signature == Data([0xFB, 0xFF]) })
        _ = try await backend.customer(customer, environment: nil)
        #expect(request()?.value(forHTTPHeaderField: "Counterfoil-Nonce") != nonce)
    }

    @Test func `Customer identifiers that are UUIDs are verified in lower case`() async throws {
        let log = Log()
        let verifier = ResponseVerifier(keys: keys) { signature, message, key in
            log.add(Verification(signature: signature, message: message, key: key))
            return true
        }
        let (backend, _) = try StubProtocol.backend(answer("1.AAAA"), verifier: verifier)
        let upper = CustomerCredential(customer: anna.uppercased(), token: nil)
        _ = try await backend.report(PurchaseReport(), for: upper)
        #expect(log.all.first.map { String(decoding: $0.message, as: UTF8.self).contains("\n\(anna)\n") } == true)
    }

    @Test(arguments: [nil, "", "1", "1.%%", "1.AAAA.AAAA", ".AAAA", "1.AAAA"] as [String?])
    func `An answer without a valid proof is refused, for every request`(_ header: String?) async throws {
        let (backend, _) = try StubProtocol.backend(
            answer(header), verifier: ResponseVerifier(keys: keys) { _, _, _ in false })
        await #expect(throws: BackendFailure.unverifiedResponse) {
            try await backend.customer(customer, environment: nil)
        }
        await #expect(throws: BackendFailure.unverifiedResponse) {
            try await backend.report(PurchaseReport(), for: customer)
        }
        await #expect(throws: BackendFailure.unverifiedResponse) {
            try await backend.merge(customer, into: customer, environment: nil)
        }
    }

    @Test func `An HTML page instead of an answer is not reported as unproven`() async throws {
        let page = StubProtocol.Answer(headers: ["Content-Type": "text/html"], body: "<html>")
        let (backend, _) = try StubProtocol.backend(page, verifier: ResponseVerifier(keys: keys) { _, _, _ in false })
        await #expect(throws: BackendFailure.invalidResponse) {
            try await backend.customer(customer, environment: nil)
        }
    }

    @Test func `Errors and sessions need no proof, and without keys nothing does`() async throws {
        let verifier = ResponseVerifier(keys: keys) { _, _, _ in false }
        let (failing, _) = try StubProtocol.backend(.init(status: 503, body: #"{"code": "busy"}"#), verifier: verifier)
        await #expect(throws: BackendFailure(status: 503, code: "busy")) {
            try await failing.customer(customer, environment: nil)
        }
        let session = #"{"customer": "x", "token": "t"}"#
        let (beginning, _) = try StubProtocol.backend(.init(body: session), verifier: verifier)
        #expect(try await beginning.session(for: "x", appTransaction: "e30.e30.e30").token == "t")
        let (plain, request) = try StubProtocol.backend(answer(nil))
        #expect(try await plain.customer(customer, environment: nil).id == "anna/ö")
        #expect(request()?.value(forHTTPHeaderField: "Counterfoil-Nonce") == nil)
    }
}
