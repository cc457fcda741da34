public import CounterfoilClient
import Foundation

extension CustomerResponse {
    /// Decodes a response of the server, such as one that you saved from `GET /v1/customers/{id}`. Leaves out the
    /// environment, so that the client accepts the response to a request for any environment.
    public init(json: String) throws {
        self = try Self.decoder.decode(Self.self, from: Data(json.utf8))
        environment = nil
    }
}

extension Customer {
    /// Makes the state that the client publishes after a response, for previews and for tests of your screens.
    ///
    /// The time is that of the response. All members can be changed, such as ``Customer/readiness``.
    public init(_ response: CustomerResponse) {
        var machine = PurchaseStateMachine(rules: PurchaseClientConfiguration())
        var answer = response
        answer.environment = nil
        var events: [ClientEvent] = [
            .started(device: nil, customer: nil, fresh: UUID()), .signedIn(customer: response.id, token: nil),
        ]
        while !events.isEmpty {
            for effect in machine.handle(events.removeFirst(), at: response.asOf, jitter: 1) {
                switch effect {
                case .gather(let id, let name): events.append(.gathered(id, Self.nothing(of: name)))
                case .send(let id, _): events.append(.answered(request: id, answer))
                default: break
                }
            }
        }
        self = machine.customer
    }

    /// What a device without purchases has.
    private static func nothing(of name: GatheredPart.Name) -> GatheredPart {
        switch name {
        case .unfinished: .unfinished([])
        case .current: .current([])
        case .all: .all([])
        case .statuses: .statuses([])
        case .appTransaction: .appTransaction(nil)
        case .receipt: .receipt(nil)
        }
    }
}
