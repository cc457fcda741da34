import ClientWorld
import CounterfoilClient
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a key was asked to verify.
private struct Asked: Hashable, Sendable {
    var signature: Data
    var message: Data
    var key: Data
}

private final class Log: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var entries: [Asked] = []

    func add(_ entry: Asked) { lock.withLock { entries.append(entry) } }
    var all: [Asked] { lock.withLock { entries } }
}

@Suite(.timeLimit(.minutes(10)))
struct `Answers that the server has to prove` {
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

    @Test func `The keys in the app are asked about customer, nonce, time and body, byte for byte`() async throws {
        let log = Log()
        let proof = AnswerProof(keys: keys) { signature, message, key in
            log.add(Asked(signature: signature, message: message, key: key))
            return key == Data(repeating: 2, count: 32)
        }
        let (backend, request) = try StubProtocol.backend(answer("1750000000123.-_8"), proof: proof)
        #expect(try await backend.customer(customer, environment: nil).id == "anna/ö")
        let nonce = try #require(request()?.value(forHTTPHeaderField: "Counterfoil-Nonce"))
        // As the server wants it.
        #expect(nonce.range(of: "^[A-Za-z0-9_-]{16,64}$", options: .regularExpression) != nil)
        let message = Data("counterfoil-answer-1\nanna/ö\n\(nonce)\n1750000000123\n\(Self.body)".utf8)
        #expect(log.all.map(\.key) == keys)
        #expect(log.all.allSatisfy { $0.message == message && $0.signature == Data([0xFB, 0xFF]) })
        _ = try await backend.customer(customer, environment: nil)
        #expect(request()?.value(forHTTPHeaderField: "Counterfoil-Nonce") != nonce)
    }

    @Test func `The server writes identifiers that are UUIDs in lower case`() async throws {
        let log = Log()
        let proof = AnswerProof(keys: keys) { signature, message, key in
            log.add(Asked(signature: signature, message: message, key: key))
            return true
        }
        let (backend, _) = try StubProtocol.backend(answer("1.AAAA"), proof: proof)
        let upper = CustomerCredential(customer: anna.uppercased(), token: nil)
        _ = try await backend.report(PurchaseReport(), for: upper)
        #expect(log.all.first.map { String(decoding: $0.message, as: UTF8.self).contains("\n\(anna)\n") } == true)
    }

    @Test(arguments: [nil, "", "1", "1.%%", "1.AAAA.AAAA", ".AAAA", "1.AAAA"] as [String?])
    func `What is not proven is no answer, whatever was asked`(_ header: String?) async throws {
        let (backend, _) = try StubProtocol.backend(answer(header), proof: AnswerProof(keys: keys) { _, _, _ in false })
        await #expect(throws: BackendFailure.unprovenAnswer) {
            try await backend.customer(customer, environment: nil)
        }
        await #expect(throws: BackendFailure.unprovenAnswer) {
            try await backend.report(PurchaseReport(), for: customer)
        }
        await #expect(throws: BackendFailure.unprovenAnswer) {
            try await backend.merge(customer, into: customer, environment: nil)
        }
    }

    @Test func `The page of a network says nothing of the keys`() async throws {
        let page = StubProtocol.Answer(headers: ["Content-Type": "text/html"], body: "<html>")
        let (backend, _) = try StubProtocol.backend(page, proof: AnswerProof(keys: keys) { _, _, _ in false })
        await #expect(throws: BackendFailure.invalidAnswer) {
            try await backend.customer(customer, environment: nil)
        }
    }

    @Test func `Failures and sessions are not signed; without keys nothing has to be`() async throws {
        let proof = AnswerProof(keys: keys) { _, _, _ in false }
        let (failing, _) = try StubProtocol.backend(.init(status: 503, body: #"{"code": "busy"}"#), proof: proof)
        await #expect(throws: BackendFailure(status: 503, code: "busy")) {
            try await failing.customer(customer, environment: nil)
        }
        let session = #"{"customer": "x", "token": "t"}"#
        let (beginning, _) = try StubProtocol.backend(.init(body: session), proof: proof)
        #expect(try await beginning.session(for: "x", appTransaction: "e30.e30.e30").token == "t")
        let (plain, request) = try StubProtocol.backend(answer(nil))
        #expect(try await plain.customer(customer, environment: nil).id == "anna/ö")
        #expect(request()?.value(forHTTPHeaderField: "Counterfoil-Nonce") == nil)
    }
}
