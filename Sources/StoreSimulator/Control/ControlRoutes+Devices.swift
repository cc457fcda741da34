internal import HTTPTypes

extension ControlRoutes {
    /// The operations that stand in for StoreKit on a device.
    static let devices: [Operation] = [
        Operation(.get, "/{environment}/customers/{customer}/devices/{device}") { simulator, request in
            let (customer, device) = (try request.parameter("customer"), try request.parameter("device"))
            return try json(try simulator.core.contents(of: device, of: customer, in: request.environment))
        },
        Operation(.get, "/{environment}/customers/{customer}/devices/{device}/updates") { simulator, request in
            let (customer, device) = (try request.parameter("customer"), try request.parameter("device"))
            let after = try request.number("after", in: 0...Int(Int32.max))
            let wait = try request.number("wait", in: 0...60)
            return try json(
                try await simulator.core.updates(
                    of: device, of: customer, after: after, wait: Double(wait), in: request.environment))
        },
    ]
}

extension ControlRequest {
    /// Returns a number from the query; 0 if it is missing.
    fileprivate func number(_ name: String, in range: ClosedRange<Int>) throws(ControlFailure) -> Int {
        guard let text = query[name] else { return 0 }
        guard let number = Int(text), range.contains(number) else {
            throw ControlFailure(
                400, "invalid_request", "\(name) is \(range.lowerBound) to \(range.upperBound)", param: name)
        }
        return number
    }
}
