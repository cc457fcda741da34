internal import HTTPTypes

extension ControlRoutes {
    /// The operations that stand in for StoreKit on a device.
    static let devices: [Operation] = [
        Operation(.get, "/{environment}/customers/{customer}/devices/{device}") { simulator, request in
            let (customer, device) = (try request.parameter("customer"), try request.parameter("device"))
            return try json(try simulator.core.contents(of: device, of: customer, in: request.environment))
        },
        Operation(
            .get, "/{environment}/customers/{customer}/devices/{device}/updates", takes: ["after", "wait"]
        ) { simulator, request in
            let (customer, device) = (try request.parameter("customer"), try request.parameter("device"))
            let after = try request.number("after", in: 0...Int(Int32.max)) ?? 0
            let wait = try request.number("wait", in: 0...60) ?? 0
            return try json(
                try await simulator.core.updates(
                    of: device, of: customer, after: after, wait: Double(wait), in: request.environment))
        },
    ]
}
