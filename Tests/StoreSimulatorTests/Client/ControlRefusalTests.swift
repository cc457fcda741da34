import AppStoreModels
import AppStoreServer
import Foundation
import Testing

@testable import StoreSimulator

@Suite struct `Refusals of the control API` {
    private typealias Request = (method: String, path: String, body: String?)

    /// Returns the status, and the code and the parameter of an error.
    private func send(
        _ simulator: Simulator, _ request: Request
    ) async throws -> (status: Int, code: String?, param: String?) {
        let answer = try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(
                method: request.method, url: simulator.information.controlURL + request.path,
                headers: request.body == nil ? [] : [("Content-Type", "application/json")],
                body: request.body.map { Data($0.utf8) }, timeout: .seconds(600)))
        let json = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        return (answer.status, json?["code"] as? String, json?["param"] as? String)
    }

    private static let fault = #"{"target":"route:*","effect":{"drop":{}}}"#

    private static let refusals: [(request: Request, status: Int, code: String, param: String?)] = [
        (("POST", "/clock/advance", "{}"), 400, "invalid_request", nil),
        (("POST", "/clock/advance", #"{"by":"1d","to":"2100-01-01T00:00:00Z"}"#), 400, "invalid_request", nil),
        (("POST", "/clock/advance", #"{"by":"soon"}"#), 400, "invalid_request", "by"),
        (("POST", "/clock/advance", #"{"to":"2001-01-01T00:00:00Z"}"#), 400, "invalid_argument", nil),
        (("POST", "/clock/advance", #"{"to":"2200-01-01T00:00:00.001Z"}"#), 400, "invalid_argument", nil),
        (("GET", "/clock/advances/x", nil), 404, "unknown_advance", nil),
        (("DELETE", "/clock/advances/99", nil), 404, "unknown_advance", nil),
        (("GET", "/moon/customers", nil), 404, "unknown_environment", nil),
        (("GET", "/production/customers?limit=0", nil), 400, "invalid_request", "limit"),
        (("GET", "/production/customers?limit=1001", nil), 400, "invalid_request", "limit"),
        (("GET", "/production/customers?page=", nil), 400, "invalid_request", "page"),
        (("GET", "/faults?page=x", nil), 400, "invalid_request", "page"),
        (("GET", "/production/notifications/7", nil), 404, "unknown_notification", nil),
        (
            ("POST", "/production/notifications/7b1f2c0e-0a4b-4f0e-9b7a-0d6a5c1e2f30/resend", nil), 404,
            "unknown_notification", nil
        ),
        (("PUT", "/production/notification-url", #"{"url":"ftp://a"}"#), 400, "invalid_request", "url"),
        (("PATCH", "/sandbox/settings", #"{"notificationURL":"ftp://a"}"#), 400, "invalid_request", "notificationURL"),
        (("DELETE", "/faults/x", nil), 404, "unknown_fault", nil),
        (("DELETE", "/faults/99", nil), 404, "unknown_fault", nil),
        (("POST", "/faults?seconds=0", fault), 400, "invalid_request", "seconds"),
        (("POST", "/faults?seconds=31622401", fault), 400, "invalid_request", "seconds"),
        (("PUT", "/ocsp", #"{"status":"maybe"}"#), 400, "invalid_request", "status"),
        (("PUT", "/ocsp", #"{"status":"good","certificate":"root"}"#), 400, "invalid_request", "certificate"),
        (("PUT", "/ocsp", #"{"status":"slow","seconds":-1}"#), 400, "invalid_request", "seconds"),
        (("PUT", "/ocsp", #"{"status":"slow","seconds":600.1}"#), 400, "invalid_request", "seconds"),
        (
            ("POST", "/production/commands", #"{"createCustomer":{"customer":"\ud800"}}"#), 400, "invalid_request",
            "createCustomer.customer"
        ),
        (("POST", "/snapshots", #"{"name":""}"#), 400, "invalid_argument", "name"),
        (("POST", "/snapshots", #"{"name":"../a"}"#), 400, "invalid_argument", "name"),
        (
            ("POST", "/snapshots", #"{"name":"\#(String(repeating: "x", count: 65))"}"#), 400, "invalid_argument",
            "name"
        ),
        (("POST", "/snapshots/none/restore", nil), 404, "unknown_snapshot", nil),
        (("POST", "/scenarios", #"{"yaml":"x"}"#), 400, "invalid_scenario", "yaml"),
    ]

    @Test func `A control route refuses a request with its status, its code and the name of the parameter`()
        async throws
    {
        try await withSimulator { simulator in
            let before = simulator.now
            for refusal in Self.refusals {
                let answer = try await send(simulator, refusal.request)
                #expect(answer.status == refusal.status && answer.code == refusal.code, "\(refusal.request)")
                #expect(answer.param == refusal.param, "\(refusal.request)")
            }
            #expect(try await send(simulator, ("GET", "/production/customers?limit=1000", nil)).status == 200)
            let longest = #"{"name":"\#(String(repeating: "x", count: 64))"}"#
            #expect(try await send(simulator, ("POST", "/snapshots", longest)).status == 201)
            #expect(simulator.now == before && simulator.core.faults.isEmpty)
            #expect(try simulator.snapshots().count == 1)
        }
    }

    @Test func `A body above 8 MiB is refused with a code`() async throws {
        try await withSimulator { simulator in
            let body = String(repeating: " ", count: 8 << 20) + Self.fault
            let answer = try await send(simulator, ("POST", "/faults", body))
            #expect(answer.status == 413 && answer.code == "too_large")
            #expect(simulator.core.faults.isEmpty)
        }
    }

    @Test func `A notification cannot be sent again without a URL, and a catalogue has each product once`()
        async throws
    {
        try await withSimulator { simulator in
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
            let (uuid, catalogue) = simulator.core.read(.production) { store, _ in
                (store.notifications.first?.uuid, store.catalogue)
            }
            let path = "/production/notifications/\(try #require(uuid))/resend"
            let refused = try await send(simulator, ("POST", path, nil))
            #expect(refused.status == 409 && refused.code == "impossible_transition")
            var repeated = catalogue
            repeated.products.append(try #require(catalogue.products.first))
            let body = String(decoding: try ControlJSON.encode(repeated), as: UTF8.self)
            let invalid = try await send(simulator, ("PUT", "/production/catalogue", body))
            #expect(invalid.status == 400 && invalid.code == "invalid_catalogue")
            let kept = simulator.core.read(.production) { store, _ in store.catalogue }
            #expect(kept == catalogue)
        }
    }

    private static let limits: [(name: String, accepted: [String], refused: [String])] = [
        ("deliveryTimeout", ["0.01", "600"], ["0.009", "600.1"]),
        ("realtimeTimeout", ["0.001", "3600"], ["0.0009", "3600.1"]),
        ("consumptionWindow", ["0", "2592000"], ["-1", "2592001"]),
        ("massExtensionDuration", ["0", "2592000"], ["-1", "2592001"]),
        ("maximumRenewalLeadTime", ["0", "864000"], ["-1", "864001"]),
        ("maximumRenewalDelay", ["0", "2592000"], ["-1", "2592001"]),
        ("renewalCap", ["0", "100000"], ["-1", "100001"]),
    ]

    @Test func `The limits of a setting are part of its range`() async throws {
        try await withSimulator { simulator in
            for limit in Self.limits {
                for (values, status) in [(limit.accepted, 200), (limit.refused, 400)] {
                    for value in values {
                        let body = #"{"\#(limit.name)":\#(value)}"#
                        let answer = try await send(simulator, ("PATCH", "/sandbox/settings", body))
                        #expect(answer.status == status, "\(body)")
                        #expect(answer.param == (status == 200 ? nil : limit.name), "\(body)")
                    }
                }
            }
        }
    }
}
