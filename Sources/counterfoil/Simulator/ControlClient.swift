import AppStoreModels
import AppStoreServer
import ArgumentParser
import Basics
import Foundation
import StoreSimulator

/// Calls the control API of a running simulator. Failures are refusals that say what to do.
struct ControlClient: Sendable {
    let information: SimulatorInformation
    private let transport = AsyncHTTPClientTransport()

    init(_ information: SimulatorInformation) { self.information = information }

    /// A page of a list.
    private struct Page<Item: Decodable>: Decodable {
        let items: [Item]
        let nextPage: String?

        enum CodingKeys: String, CodingKey {
            case items
            case nextPage = "next_page"
        }
    }

    private struct Failure: Decodable {
        let code: String
        let message: String
    }

    /// Makes a request below the control URL and gives the answer's body as it came.
    func send(
        _ method: String, _ path: [String], query: [(String, String)] = [], body: (any Encodable & Sendable)? = nil
    ) async throws -> Data {
        // Without the name it would be another request.
        if let empty = path.firstIndex(of: "") {
            let kind = path[..<empty].last ?? "objects"
            throw ValidationError("An argument is empty: expected one of the simulator's \(kind).")
        }
        var url = information.controlURL + path.map { "/" + $0.percentEncoded }.joined()
        if !query.isEmpty { url += "?" + query.map { "\($0)=\($1.percentEncoded)" }.joined(separator: "&") }
        // Advancing by years takes as long as the receiver of a thousand notifications.
        var request = HTTPTransportRequest(
            method: method, url: url, timeout: .seconds(3600), maximumAnswerSize: 64 << 20)
        if let body {
            request.headers = [("Content-Type", "application/json")]
            request.body = try Self.encoder.encode(body)
        }
        let answer: HTTPTransportAnswer
        do { answer = try await transport.send(request) } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw SimulatorLocation.unreachable(information)
        }
        guard (200..<300).contains(answer.status) else { throw Self.refusal(answer) }
        return answer.body
    }

    /// The same, with the answer decoded.
    func call<Answer: Decodable>(
        _ method: String, _ path: [String], query: [(String, String)] = [], body: (any Encodable & Sendable)? = nil,
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try Self.decode(type, from: try await send(method, path, query: query, body: body))
    }

    /// Every item of a list, from all its pages.
    func all<Item: Decodable>(
        _ path: [String], from first: String? = nil, as type: Item.Type = Item.self
    ) async throws -> [Item] {
        var items: [Item] = []
        var next = first
        repeat {
            let page = try await call(
                "GET", path, query: [("limit", "1000")] + (next.map { [("page", $0)] } ?? []),
                as: Page<Item>.self)
            items += page.items
            next = page.nextPage
        } while next != nil
        return items
    }

    /// The identifier of a product that may be named by the end of it: `premium.monthly`.
    func product(_ name: String, in environment: EnvironmentName) async throws -> String {
        let catalogue = try await call("GET", [environment.rawValue, "catalogue"], as: Catalogue.self)
        return catalogue.identifier(of: name) ?? name
    }

    static func decode<Answer: Decodable>(_ type: Answer.Type, from data: Data) throws -> Answer {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        do { return try decoder.decode(type, from: data) } catch {
            throw Refusal(
                code: "unexpected_answer",
                message: "the simulator's answer is not in the form of this version; is it of another version?")
        }
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder.sorted
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }()

    private static func refusal(_ answer: HTTPTransportAnswer) -> Refusal {
        guard let failure = try? JSONDecoder().decode(Failure.self, from: answer.body) else {
            return Refusal(code: "http_\(answer.status)", message: "the simulator answered \(answer.status)")
        }
        let advice = advice[failure.code].map { "; " + $0 } ?? ""
        return Refusal(code: failure.code.printable, message: failure.message.printableLine + advice)
    }

    /// What to do about a refusal, where its message does not say it.
    private static let advice = [
        "unknown_customer": "counterfoil simulator customers lists the customers",
        "unknown_product": "counterfoil simulator status lists the products",
        "unknown_snapshot": "counterfoil simulator status lists the snapshots",
        "unknown_fault": "counterfoil simulator fault list shows the numbers",
        "no_subscription":
            "counterfoil simulator customers shows what the customer has; counterfoil simulator buy sells a subscription",
        "payment_declined": "counterfoil simulator fix-billing makes payments work again",
    ]
}
