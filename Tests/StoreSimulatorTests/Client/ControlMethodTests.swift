import AppStoreServer
import Foundation
import Testing

@testable import StoreSimulator

@Suite struct `The control API` {
    private func send(
        _ simulator: Simulator, _ method: String, _ path: String, _ body: Data? = nil
    ) async throws -> (status: Int, headers: [String: String], body: [String: Any]) {
        let answer = try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(
                method: method, url: simulator.information.controlURL + path,
                headers: body == nil ? [] : [("Content-Type", "application/json")], body: body, timeout: .seconds(600)))
        let headers = Dictionary(
            answer.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        let json = answer.body.isEmpty ? [:] : try JSONSerialization.jsonObject(with: answer.body)
        return (answer.status, headers, json as? [String: Any] ?? [:])
    }

    @Test func `A method that a control path lacks gets 405 with the header Allow`() async throws {
        try await withSimulator { simulator in
            for (method, path, allowed) in [
                ("DELETE", "/clock", "GET, HEAD"), ("PUT", "/faults", "DELETE, GET, HEAD, POST"),
                ("PATCH", "/faults/7", "DELETE"), ("POST", "/production/settings", "GET, HEAD, PATCH, PUT"),
                ("POST", "/sandbox/customers/anna/receipt", "GET, HEAD"),
            ] {
                let answer = try await send(simulator, method, path)
                #expect(answer.status == 405 && answer.headers["allow"] == allowed, "\(method) \(path)")
                #expect(answer.body["code"] as? String == "method_not_allowed", "\(method) \(path)")
            }
        }
    }

    @Test func `An unknown, repeated or malformed parameter is refused with its name`() async throws {
        try await withSimulator { simulator in
            for (method, path, name, message) in [
                (
                    "GET", "/production/customers?limits=1", "limits",
                    #"there is no query parameter "limits"; did you mean "limit"?"#
                ),
                (
                    "POST", "/reset?everything=true", "everything",
                    #"there is no query parameter "everything"; /simulator/openapi.yaml lists them"#
                ),
                ("GET", "/production/notifications?limit=1&limit=2", "limit", "limit occurs more than once"),
            ] {
                let answer = try await send(simulator, method, path)
                #expect(answer.status == 400 && answer.body["code"] as? String == "invalid_request", "\(path)")
                #expect(answer.body["message"] as? String == message && answer.body["param"] as? String == name)
            }
        }
    }

    @Test func `A page continues after the last item although others were added and removed`() async throws {
        try await withSimulator { simulator in
            for name in ["b", "d", "f"] { try await simulator.perform(.createCustomer(customer: name)) }
            let customers = try await send(simulator, "GET", "/production/customers?limit=2").body
            let name = try #require(customers["next_page"] as? String)
            try await simulator.perform(.createCustomer(customer: "a"))
            let later = try await send(simulator, "GET", "/production/customers?limit=2&page=\(name)").body
            #expect((later["items"] as? [[String: Any]])?.map { $0["customer"] as? String } == ["f"])
            #expect(later["next_page"] == nil)

            let drop = Data(#"{"target":"route:*","effect":{"drop":{}}}"#.utf8)
            for _ in 1...3 { #expect(try await send(simulator, "POST", "/faults", drop).status == 201) }
            let faults = try await send(simulator, "GET", "/faults?limit=2").body
            let number = try #require(faults["next_page"] as? String)
            #expect(try await send(simulator, "DELETE", "/faults/1").status == 204)
            let rest = try await send(simulator, "GET", "/faults?limit=2&page=\(number)").body
            #expect((rest["items"] as? [[String: Any]])?.map { $0["number"] as? Int } == [3])
        }
    }

    /// Without a request: the HTTP client would replace such a path.
    @Test func `A segment of the path that is not UTF-8 is refused with its name`() {
        let failure = #expect(throws: ControlFailure.self) {
            try ControlRequest(path: [:], query: [:], body: Data()).parameter("customer")
        }
        #expect(failure?.status == 400 && failure?.param == "customer")
    }

    @Test func `HEAD is answered like GET, without a body`() async throws {
        try await withSimulator { simulator in
            for (path, status) in [("/clock", 200), ("/openapi.yaml", 200), ("/production/customers/nobody", 404)] {
                let answer = try await AsyncHTTPClientTransport().send(
                    HTTPTransportRequest(
                        method: "HEAD", url: simulator.information.controlURL + path, headers: [], body: nil,
                        timeout: .seconds(600)))
                #expect(answer.status == status && answer.body.isEmpty, "\(path)")
                #expect(answer.headers.contains { $0.name.lowercased() == "content-type" }, "\(path)")
            }
        }
    }

    private static let misspelled = [
        (
            "/production/commands", #"{"cancle": {"customer": "anna"}}"#,
            #"there is no command "cancle"; did you mean "cancel"?"#
        ),
        (
            "/production/commands", #"{"xyz": {}}"#,
            #"there is no command "xyz"; counterfoil simulator do --help lists them"#
        ),
        (
            "/production/commands", #"{"cancel": {"customer": "anna"}, "resume": {"customer": "anna"}}"#,
            "one command is expected, not 2; counterfoil simulator do --help lists them"
        ),
        (
            "/production/commands", "{}",
            "one command is expected, not 0; counterfoil simulator do --help lists them"
        ),
        (
            "/faults", #"{"target": "route:*", "effect": {}}"#,
            "one effect is expected, not 0; counterfoil simulator fault --help lists them"
        ),
        (
            "/production/trigger", #"{"notificationType": "TSET"}"#,
            #"there is no notification TSET; did you mean "TEST"?"#
        ),
        (
            "/production/trigger", #"{"notificationType": "SUBSCRIBED"}"#,
            #"there is no notification SUBSCRIBED; did you mean "SUBSCRIBED.INITIAL_BUY" or "SUBSCRIBED.RESUBSCRIBE"?"#
        ),
        (
            "/production/trigger", #"{"notificationType": "SUBSCRIBD"}"#,
            #"there is no notification SUBSCRIBD; did you mean "SUBSCRIBED.INITIAL_BUY" or "SUBSCRIBED.RESUBSCRIBE"?"#
        ),
        (
            "/production/trigger", #"{"notificationType": "NOTHING"}"#,
            "there is no notification NOTHING; counterfoil simulator trigger --list lists them"
        ),
        (
            "/faults", #"{"target": "route:*", "effect": {"dealy": {"seconds": 1}}}"#,
            #"there is no effect "dealy"; did you mean "delay"?"#
        ),
        (
            "/faults", #"{"target": "route:*", "effect": {"xyz": {}}}"#,
            #"there is no effect "xyz"; counterfoil simulator fault --help lists them"#
        ),
        (
            "/faults", #"{"target": "route:transactoin", "effect": {"drop": {}}}"#,
            #"there is no route "transactoin"; did you mean "transaction"?"#
        ),
        (
            "/faults", #"{"target": "route:xyz", "effect": {"drop": {}}}"#,
            #"there is no route "xyz"; counterfoil api --help lists them"#
        ),
        (
            "/faults", #"{"target": "notification:DID_RENW", "effect": {"drop": {}}}"#,
            #"there is no notification "DID_RENW"; did you mean "DID_RENEW"?"#
        ),
    ]

    @Test func `An unknown name gets an error that suggests a similar name or the command that lists them`()
        async throws
    {
        try await withSimulator { simulator in
            for (path, body, message) in Self.misspelled {
                let answer = try await send(simulator, "POST", path, Data(body.utf8))
                #expect(answer.status == 400, "\(body)")
                #expect(answer.body["message"] as? String == message, "\(body)")
            }
        }
    }

    private static let unknownValues: [(String, String, String, String?, String)] = [
        (
            "PATCH", "/sandbox/settings", #"{"gracePeriod": "30days"}"#, "gracePeriod",
            #"gracePeriod: "30days" is none of off, threeDays, sixteenDays, twentyEightDays"#
        ),
        (
            "PATCH", "/sandbox/settings", #"{"refundDecision": "\#(String(repeating: "x", count: 70))"}"#,
            "refundDecision",
            #"refundDecision: "\#(String(repeating: "x", count: 60))"… is none of byCommand, automatic"#
        ),
        (
            "PATCH", "/sandbox/settings", #"{"notificationVersion": 3}"#, "notificationVersion",
            "notificationVersion: 3 is none of 1, 2"
        ),
        (
            "PATCH", "/sandbox/settings", #"{"rate": "fast"}"#, "rate",
            #"rate: "fast" is none of \#(RenewalRate.all.map(\.rawValue).joined(separator: ", "))"#
        ),
        (
            "PATCH", "/sandbox/settings", #"{"renewalCap": 1.5}"#, "renewalCap",
            "renewalCap: 1.5 is not a whole number, or is out of range"
        ),
        (
            "PATCH", "/sandbox/settings", #"{"realtimeTimeout": -5}"#, "realtimeTimeout",
            "realtimeTimeout is 0.001 to 3600 seconds"
        ),
        (
            "PATCH", "/sandbox/settings", #"{"maximumRenewalLeadTime": 864001}"#, "maximumRenewalLeadTime",
            "maximumRenewalLeadTime is up to 10 days, in seconds"
        ),
        (
            "POST", "/sandbox/commands", #"{"extendRenewal": {"customer": "anna", "days": 99999999999}}"#,
            "extendRenewal.days", "extendRenewal.days: 99999999999 is not a whole number, or is out of range"
        ),
        (
            "POST", "/sandbox/commands",
            #"{"setNextPurchaseResult": {"customer": "anna", "device": "x", "result": "lost"}}"#,
            "setNextPurchaseResult.result",
            #"setNextPurchaseResult.result: "lost" is none of cancelled, interrupted, failed, unverified"#
        ),
        (
            "POST", "/sandbox/commands", #"{"approveMessage": {"message": "7"}}"#, "approveMessage.message",
            #"approveMessage.message: "7" is not a UUID"#
        ),
        (
            "POST", "/production/commands", #"{"requestRefund": {"customer": "anna", "reason": "BORED"}}"#, nil,
            #"reason: "BORED" is none of UNINTENDED_PURCHASE, FULFILLMENT_ISSUE, "#
                + "UNSATISFIED_WITH_PURCHASE, LEGAL, OTHER"
        ),
        (
            "POST", "/production/commands", #"{"approveRefund": {"customer": "anna", "reason": 7}}"#, nil,
            "reason: 7 is none of 0, 1"
        ),
        (
            "POST", "/production/commands",
            #"{"answerConsumptionRequest": {"customer": "anna", "preference": "MAYBE"}}"#, nil,
            #"preference: "MAYBE" is none of DECLINE, GRANT_FULL, GRANT_PRORATED"#
        ),
        (
            "POST", "/production/commands", #"{"extendRenewal": {"customer": "anna", "days": 1, "reason": 4}}"#, nil,
            "reason: 4 is none of 0, 1, 2, 3"
        ),
        (
            "POST", "/production/commands", #"{"createExternalPurchaseToken": {"tokenType": "TIPS"}}"#, nil,
            #"tokenType: "TIPS" is none of SERVICES, ACQUISITION, CORE_TECHNOLOGY"#
        ),
        (
            "POST", "/clock/advance", #"{"to": "soon"}"#, "to",
            #"to: "soon" is neither milliseconds since 1970 nor like 2026-01-31T12:00:00Z"#
        ),
        (
            "POST", "/faults", #"{"target": "route:*", "effect": {"drop": {}}, "environment": "Moon"}"#, nil,
            #""Moon" is neither Production nor Sandbox"#
        ),
        ("PATCH", "/sandbox/settings", "{", nil, "the body is not JSON: the syntax is wrong"),
    ]

    @Test func `An unknown value gets an error with its member, the value and the permitted values`() async throws {
        try await withSimulator { simulator in
            for (method, path, body, member, message) in Self.unknownValues {
                let answer = try await send(simulator, method, path, Data(body.utf8))
                #expect(answer.status == 400, "\(body)")
                #expect(answer.body["message"] as? String == message, "\(body)")
                #expect(answer.body["param"] as? String == member, "\(body)")
                #expect(answer.body["code"] is String, "\(body)")
            }
        }
    }

    @Test(arguments: Fault.Effect.names)
    func `Every fault effect name is decodable`(_ name: String) throws {
        do { _ = try JSONDecoder().decode(Fault.Effect.self, from: Data(#"{"\#(name)":{}}"#.utf8)) } catch {
            // The name is known; a required member of the effect is missing.
            guard case DecodingError.keyNotFound = error else {
                Issue.record("\(name): \(error)")
                return
            }
        }
    }

    @Test func `Every response has a unique x-request-id, and every error is an object with a code`() async throws {
        try await withSimulator { simulator in
            var numbers: Set<String> = []
            for (method, path, status) in [
                ("GET", "/clock", 200), ("GET", "/nowhere", 404), ("DELETE", "/clock", 405),
                ("GET", "/production/customers/nobody", 404), ("POST", "/faults", 400),
            ] {
                let answer = try await send(simulator, method, path, method == "POST" ? Data("{}".utf8) : nil)
                #expect(answer.status == status, "\(path)")
                numbers.insert(try #require(answer.headers["x-request-id"]))
                guard status >= 400 else { continue }
                #expect(answer.body["object"] as? String == "error" && answer.body["code"] is String, "\(path)")
            }
            #expect(numbers.count == 5 && !numbers.contains("none"))
        }
    }
}
