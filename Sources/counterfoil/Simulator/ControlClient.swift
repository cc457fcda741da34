import AppStoreServer
import ArgumentParser
import Basics
import Foundation
import StoreSimulator

/// A client for the control API of a running simulator. Throws ``Refusal`` with advice after failures.
struct ControlClient: Sendable {
    let information: SimulatorInformation

    init(_ information: SimulatorInformation) { self.information = information }

    /// Sends a request to a path below the control URL and returns the unchanged response body.
    func send(
        _ method: String, _ path: [String], query: [(String, String)] = [], body: (any Encodable & Sendable)? = nil
    ) async throws -> Data {
        // An empty path component would make a request to another route.
        if let empty = path.firstIndex(of: "") {
            let kind = path[..<empty].last ?? "objects"
            throw ValidationError("An argument is empty: expected one of the simulator's \(kind).")
        }
        var url = information.controlURL + path.map { "/" + $0.percentEncoded }.joined()
        if !query.isEmpty { url += "?" + String(queryOf: query) }
        // Advancing by years may take long: it waits for the delivery of every notification.
        var request = HTTPTransportRequest(
            method: method, url: url, timeout: .seconds(3600), maximumResponseSize: 64 << 20)
        if let body {
            request.headers = [("Content-Type", "application/json")]
            request.body = try Self.encoder.encode(body)
        }
        let response = try await SimulatorLocation.send(request, to: information.controlURL)
        guard (200..<300).contains(response.status) else { throw Self.refusal(response) }
        return response.body
    }

    /// Sends a request and decodes the response.
    func call<Response: Decodable>(
        _ method: String, _ path: [String], query: [(String, String)] = [], body: (any Encodable & Sendable)? = nil,
        as type: Response.Type = Response.self
    ) async throws -> Response {
        try Self.decode(type, from: try await send(method, path, query: query, body: body))
    }

    /// Returns every item of a list, from all pages.
    func all<Item: Decodable>(_ path: [String], as type: Item.Type = Item.self) async throws -> [Item] {
        var items: [Item] = []
        var next: String?
        repeat {
            let page = try await call(
                "GET", path, query: [("limit", "1000")] + (next.map { [("page", $0)] } ?? []),
                as: ListPage<Item>.self)
            items += page.items
            next = page.nextPage
        } while next != nil
        return items
    }

    /// Prints every item of a list, unchanged, one a line.
    func printItems(of path: [String]) async throws {
        for item in try await all(path, as: JSONValue.self) { Output.line(try JSONLine.text(item)) }
    }

    /// Returns the identifier of a product. `name` may be the end of the identifier, such as `premium.monthly`.
    func product(_ name: String, in environment: EnvironmentName) async throws -> String {
        try await catalogue(of: environment).identifier(of: name) ?? name
    }

    /// Returns the catalogue of an environment.
    func catalogue(of environment: EnvironmentName) async throws -> Catalogue {
        try await call("GET", [environment.rawValue, "catalogue"])
    }

    /// Returns the settings of an environment.
    func settings(of environment: EnvironmentName) async throws -> StoreSettings {
        try await call("GET", [environment.rawValue, "settings"])
    }

    /// Returns the simulator's clock.
    func clock() async throws -> ClockReading { try await call("GET", ["clock"]) }

    static func decode<Response: Decodable>(_ type: Response.Type, from data: Data) throws -> Response {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        do { return try decoder.decode(type, from: data) } catch {
            throw Refusal(
                code: "unexpected_answer",
                message: "the simulator's response has an unknown format; is its version different?")
        }
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder.sorted
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }()

    private static func refusal(_ response: HTTPTransportResponse) -> Refusal {
        guard let failure = try? JSONDecoder().decode(ErrorResponse.self, from: response.body) else {
            return Refusal(code: "http_\(response.status)", message: "the simulator answered \(response.status)")
        }
        let advice = advice[failure.code].map { "; " + $0 } ?? ""
        return Refusal(code: failure.code.printable, message: failure.message.printableLine + advice)
    }

    /// Advice for error codes whose messages have none.
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
