import CounterfoilClient
import CounterfoilClientTesting
import Foundation

/// What StoreKit lists on a device.
struct DeviceContents: Sendable {
    let unfinished: [DeviceTransaction]
    let current: [DeviceTransaction]
    let all: [DeviceTransaction]
    let statuses: [DeviceStatus]
    let appTransaction: String?

    init(of device: SimulatedDevice) async {
        unfinished = await device.unfinished()
        current = await device.current()
        all = await device.all()
        statuses = await device.statuses()
        appTransaction = await device.appTransaction()
    }

    /// The dates at which periods begin and end.
    var dates: [Date] {
        all.map(\.purchaseDate) + all.compactMap(\.expirationDate)
            + statuses.compactMap(\.gracePeriodExpirationDate)
    }

    func part(_ name: GatheredPart.Name) -> GatheredPart {
        switch name {
        case .unfinished: .unfinished(unfinished)
        case .current: .current(current)
        case .all: .all(all)
        case .statuses: .statuses(statuses)
        case .appTransaction: .appTransaction(appTransaction)
        case .receipt: .receipt(nil)
        }
    }
}

/// An app with its saved records. It has no tasks and no timers, so a test can start it at any instant.
struct RestartedApp: Sendable {
    private let account: String
    private var device: DeviceRecord?
    private var record: CustomerRecord?

    init(_ account: String) { self.account = account }

    /// Starts the app, and returns what it shows when its requests have ended.
    ///
    /// - Parameter backend: The server; nil if it cannot be reached.
    mutating func start(at now: Date, with contents: DeviceContents, _ backend: HTTPBackend?) async -> Customer {
        var machine = PurchaseStateMachine(rules: PurchaseClientConfiguration())
        var events: [ClientEvent] = [
            .started(device: device, customer: record, fresh: UUID()),
            .signedIn(customer: account, token: CustomerToken.make(for: account, at: now)),
        ]
        while !events.isEmpty {
            for effect in machine.handle(events.removeFirst(), at: now, jitter: 1) {
                switch effect {
                case .saveDevice(let saved): device = saved
                case .saveCustomer(let saved): record = saved
                case .gather(let id, let name): events.append(.gathered(id, contents.part(name)))
                case .send(let id, let request): events.append(await Self.send(request, id, to: backend))
                default: break
                }
            }
        }
        return machine.customer
    }

    /// Whether the last response says that an entitlement was granted.
    func isGranted(_ key: String) -> Bool {
        record?.answer?.entitlements.contains { $0.key == key && $0.details.contains("granted") } ?? false
    }

    /// What the app shows if it is started without the server.
    func offline(at instant: Date, with contents: DeviceContents) async -> Customer {
        var app = self
        return await app.start(at: instant, with: contents, nil)
    }

    private static func send(_ request: ClientRequest, _ id: Int, to backend: HTTPBackend?) async -> ClientEvent {
        guard let backend else { return .failed(request: id, .noConnection) }
        do throws(BackendFailure) {
            switch request.kind {
            case .report(let report):
                return .answered(request: id, try await backend.report(report, for: request.credential))
            case .fetch(let environment):
                return .answered(
                    request: id, try await backend.customer(request.credential, environment: environment))
            // There is no anonymous customer.
            case .merge: return .failed(request: id, .noConnection)
            }
        } catch { return .failed(request: id, error) }
    }
}
