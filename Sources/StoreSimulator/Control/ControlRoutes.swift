internal import Basics
internal import ConfigurationReading
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// The control API, with which `counterfoil` and other programs control a simulator. `openapi.yaml` describes it.
enum ControlRoutes {
    typealias Handler = @Sendable (Simulator, ControlRequest) async throws -> SimulatorResponse

    /// An operation: method, path below `/simulator`, query parameters, and handler.
    struct Operation: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let parameters: [String]
        let handler: Handler

        init(
            _ method: HTTPRequest.Method, _ path: String, takes parameters: [String] = [], _ handler: @escaping Handler
        ) {
            (self.method, self.path, self.parameters, self.handler) = (method, path, parameters, handler)
        }
    }

    private static let paging = ["limit", "page"]

    /// All operations.
    static let operations: [Operation] =
        clock + purchases + devices + notifications + faults + snapshots + scenarios

    static func add(to router: Router<SimulatorContext>, _ holder: SimulatorHolder) {
        for operation in operations {
            let names = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                String($0.dropFirst().dropLast())
            }
            router.on(RouterPath("/simulator" + operation.path), method: operation.method) { request, context in
                let simulator = try holder.get()
                var values: [String: String] = [:]
                for name in names {
                    values[name] = context.parameters.get(name).flatMap { String(percentEncoded: $0.utf8) }
                }
                let body = operation.method == .get ? Data() : try await SimulatorRoutes.data(request, context)
                let response: SimulatorResponse
                do {
                    let query = try query(of: request, for: operation)
                    response = try await operation.handler(
                        simulator, ControlRequest(path: values, query: query, body: body))
                } catch { response = ControlFailure(error).response }
                return try await SimulatorRoutes.send(response, context)
            }
        }
    }

    /// Returns the query parameters. Throws if one is unknown or repeated: a client that writes `limits` for `limit`
    /// would otherwise get a success with the wrong page.
    private static func query(
        of request: Request, for operation: Operation
    ) throws(ControlFailure) -> [String: String] {
        var query: [String: String] = [:]
        for (key, value) in request.uri.queryParameters {
            let name = String(key)
            guard operation.parameters.contains(name) else {
                let message = SpellingSuggestion.message(
                    unknown: String(name.prefix(64)), of: "query parameter", among: operation.parameters,
                    or: "/simulator/openapi.yaml lists them")
                throw ControlFailure(invalid: message, param: String(name.prefix(64)))
            }
            guard query.updateValue(String(value), forKey: name) == nil else {
                throw ControlFailure(invalid: "\(name) occurs more than once", param: name)
            }
        }
        return query
    }

    static func json(_ value: some Encodable, status: Int = 200) throws -> SimulatorResponse {
        .json(try ControlJSON.encode(value), status: status)
    }

    // MARK: - The simulator and its clock

    private static let clock: [Operation] = [
        Operation(.get, "") { simulator, _ in try json(simulator.information) },
        Operation(.get, "/openapi.yaml") { _, _ in
            SimulatorResponse(status: 200, contentType: "application/yaml", body: Array(ControlDescription.text.utf8))
        },
        Operation(.get, "/clock") { simulator, _ in try json(simulator.core.clockReading) },
        Operation(.post, "/clock/advance", takes: ["wait"]) { simulator, request in
            let advance = try request.decode(ClockAdvance.self)
            let target = try simulator.core.target(of: advance)
            switch request.query["wait"] {
            case nil, "true": return try json(try await simulator.advance(to: target))
            case "false": return try json(try simulator.core.beginAdvance(to: target), status: 202)
            default: throw ControlFailure(invalid: "wait is true or false", param: "wait")
            }
        },
        Operation(.get, "/clock/advances/{id}") { simulator, request in try json(try simulator.core.advance(request)) },
        Operation(.delete, "/clock/advances/{id}") { simulator, request in
            let number = try simulator.core.advance(request).id
            simulator.core.advances.cancel(number)
            return try json(try simulator.core.advance(request), status: 202)
        },
        Operation(.post, "/wait-until-idle") { simulator, _ in
            try await simulator.processDueEvents()
            return try json(simulator.core.clockReading)
        },
    ]

    // MARK: - Purchases

    private static let purchases: [Operation] = [
        Operation(.post, "/{environment}/commands") { simulator, request in
            try request.decode(JSONValue.self).checkName(
                of: "command", among: StoreCommand.names, "counterfoil simulator do --help lists them")
            let command = try request.decodeResolvingProducts(StoreCommand.self, simulator)
            return try json(try await simulator.perform(command, in: request.environment))
        },
        Operation(.post, "/{environment}/trigger") { simulator, request in
            let trigger = try request.decodeResolvingProducts(TriggerRequest.self, simulator)
            return try json(try await simulator.trigger(trigger, in: request.environment))
        },
        Operation(.get, "/{environment}/customers", takes: paging) { simulator, request in
            try json(simulator.core.customerPage(request))
        },
        Operation(.get, "/{environment}/customers/{customer}") { simulator, request in
            try json(try simulator.state(of: request.parameter("customer"), in: request.environment))
        },
        Operation(.get, "/{environment}/customers/{customer}/purchases") { simulator, request in
            let customer = try request.parameter("customer")
            return try json(try simulator.core.purchases(of: customer, in: request.environment))
        },
        Operation(.get, "/{environment}/customers/{customer}/receipt", takes: ["device"]) { simulator, request in
            let (receipt, id) = try simulator.core.receipt(
                of: request.parameter("customer"), on: request.query["device"], in: request.environment)
            return try json(DeviceReceipt(receiptData: receipt.base64EncodedString(), identifierForVendor: id))
        },
        Operation(.get, "/{environment}/catalogue") { simulator, request in
            try json(simulator.core.read(request.environment) { store, _ in store.catalogue })
        },
        Operation(.put, "/{environment}/catalogue") { simulator, request in
            let catalogue = try request.decode(Catalogue.self)
            do { try catalogue.validate() } catch { throw ControlFailure(400, "invalid_catalogue", "\(error)") }
            simulator.core.change(try request.environment) { store, now in store.setCatalogue(catalogue, at: now) }
            return try json(catalogue)
        },
        Operation(.get, "/{environment}/settings") { simulator, request in
            try json(simulator.settings(of: request.environment))
        },
        Operation(.put, "/{environment}/settings") { simulator, request in
            let settings = try request.decode(StoreSettings.self)
            try settings.check()
            simulator.configure(try request.environment) { $0 = settings }
            return try json(settings)
        },
        Operation(.patch, "/{environment}/settings") { simulator, request in
            try json(simulator.core.merge(request.decode(JSONValue.self), in: request.environment))
        },
    ]

    // MARK: - Notifications

    private static let notifications: [Operation] = [
        Operation(.get, "/{environment}/notifications", takes: paging + ["customer", "notificationUUID"]) {
            simulator, request in try json(simulator.core.notificationPage(request))
        },
        Operation(.get, "/{environment}/notifications/{notificationUUID}") { simulator, request in
            let (environment, number) = try simulator.core.notification(request)
            return .json(try simulator.core.body(number, in: environment))
        },
        Operation(.post, "/{environment}/notifications/{notificationUUID}/resend") { simulator, request in
            let (environment, number) = try simulator.core.notification(request)
            try simulator.core.resend(number, in: environment)
            try await simulator.processDueEvents()
            return try json(simulator.core.notificationLine(number, in: environment))
        },
        Operation(.put, "/{environment}/notification-url") { simulator, request in
            let target = try request.decode(NotificationTarget.self)
            try simulator.core.setNotificationURL(target.url, in: request.environment)
            return try json(target)
        },
    ]

    // MARK: - Faults

    private static let faults: [Operation] = [
        Operation(.get, "/faults", takes: paging) { simulator, request in
            try json(try request.page(simulator.core.faults, by: \.number))
        },
        Operation(.post, "/faults", takes: ["seconds"]) { simulator, request in
            try Fault.checkEffect(request.decode(JSONValue.self))
            var fault = try request.decode(Fault.self)
            // Up to a leap year.
            let seconds: Double? = try request.number("seconds", in: 1...31_622_400, "seconds is 1 to 31622400")
            if let seconds { fault.until = simulator.core.now + seconds }
            let number = try simulator.add(fault)
            return try json(FaultRegistry.Entry(number: number, fault: fault), status: 201)
        },
        Operation(.delete, "/faults") { simulator, _ in
            try simulator.removeFault()
            return SimulatorResponse(status: 204)
        },
        Operation(.delete, "/faults/{number}") { simulator, request in
            guard let number = Int(try request.parameter("number")) else {
                throw ControlFailure(404, "unknown_fault", "the fault number is not a number")
            }
            try simulator.removeFault(number)
            return SimulatorResponse(status: 204)
        },
        Operation(.put, "/ocsp") { simulator, request in
            let setting = try request.decode(RevocationSetting.self)
            try simulator.core.setRevocation(setting)
            return try json(setting)
        },
        Operation(.post, "/authority/rotate") { simulator, _ in
            try simulator.rotateSigningKey()
            return SimulatorResponse(status: 204)
        },
    ]

    // MARK: - Snapshots

    private static let snapshots: [Operation] = [
        Operation(.get, "/snapshots", takes: paging) { simulator, request in
            try json(try request.page(try simulator.snapshots().map(SnapshotName.init), by: \.name))
        },
        Operation(.post, "/snapshots") { simulator, request in
            let name = try request.decode(SnapshotName.self)
            do { try await simulator.snapshot(name.name) } catch {
                var failure = ControlFailure(error)
                if failure.code == SimulatorError.Code.invalidArgument.rawValue { failure.param = "name" }
                throw failure
            }
            return try json(name, status: 201)
        },
        Operation(.post, "/snapshots/{name}/restore") { simulator, request in
            try await simulator.restore(request.parameter("name"))
            return try json(simulator.core.clockReading)
        },
        Operation(.post, "/reset") { simulator, request in
            let body = request.body.isEmpty ? ResetRequest() : try request.decode(ResetRequest.self)
            try await simulator.reset(includingConfiguration: body.everything ?? false)
            return try json(simulator.core.clockReading)
        },
    ]

    // MARK: - Scenarios

    private static let scenarios: [Operation] = [
        Operation(.post, "/scenarios") { simulator, request in
            let body = try request.decode(ScenarioText.self)
            let scenario: Scenario
            do { scenario = try Scenario(yaml: body.yaml) } catch {
                throw ControlFailure(400, "invalid_scenario", "\(error)", param: "yaml")
            }
            return try json(try await simulator.run(scenario))
        }
    ]
}
