import AppStoreModels
import Foundation
import StoreSimulator

/// The customers of the demo and the store commands that each performs. The same in every run.
struct DemoPlan {
    /// A customer: the name in the simulator and the app account token.
    struct Customer: Sendable {
        var name: String
        var token: UUID

        /// The customer's ID in the server's API.
        var id: String { token.text }
    }

    /// A store command and its time, in seconds after ``DemoServices/start``.
    struct ScheduledCommand: Sendable {
        var time: TimeInterval
        var command: StoreCommand
    }

    private(set) var customers: [Customer] = []
    /// The commands, sorted by time.
    private(set) var commands: [ScheduledCommand] = []
    private var random = RandomNumbers()

    private static let names = [
        "anna", "ben", "clara", "dmitri", "elif", "farid", "greta", "hugo", "ines", "jonas", "kira", "liam", "mei",
        "nora", "omar", "paula", "quinn", "rosa", "sven", "tara",
    ]
    private static let day: TimeInterval = 86_400

    init(customers count: Int) {
        for number in 0..<count {
            let name = Self.names[number % Self.names.count]
            let round = number / Self.names.count
            let tail = String(1_000_000_000_000 + number).dropFirst()
            customers.append(
                Customer(
                    name: round == 0 ? name : "\(name)\(round + 1)",
                    token: UUID(uuidString: "c0ffee00-0000-4000-8000-\(tail)") ?? UUID()))
        }
        for number in customers.indices { scheduleCommands(number) }
        commands.sort { $0.time < $1.time }
    }

    /// Schedules a customer's first subscription and then a random later event.
    private mutating func scheduleCommands(_ number: Int) {
        // Offset each customer by 61 seconds, so that two commands never have the same time.
        let begin = Double(random.next(below: 240)) * Self.day + Double(number) * 61
        let first = firstProduct()
        buy(number, first, at: begin)
        let later = begin + Double(12 + random.next(below: 120)) * Self.day
        let name = customers[number].name
        switch random.next(below: 100) {
        case 0..<14:
            add(later, .cancel(customer: name))
            if random.next(below: 2) == 0 { buy(number, "premium.monthly", at: later + 75 * Self.day) }
        case 14..<28:
            add(later, .failBilling(customer: name))
            // The payment is fixed in the grace period, in billing retry, or never.
            let days = [40.0, 62, nil][random.next(below: 3)]
            if let days { add(later + days * Self.day, .fixBilling(customer: name)) }
        case 28..<36: add(later, .approveRefund(customer: name, reason: .issueWithApp))
        case 36..<50: buy(number, first == "basic.monthly" ? "premium.yearly" : "basic.monthly", at: later)
        case 50..<58:
            // The family member is the next customer in the list.
            let member = customers[(number + 1) % customers.count].name
            if member != name { add(later, .shareWithFamily(customer: name, member: member)) }
        case 58..<66:
            add(later, .cancel(customer: name))
            add(later + 3 * Self.day, .resume(customer: name))
        case 66..<80: buy(number, ["coins.100", "unlock", "season.pass"][random.next(below: 3)], at: later)
        case 80..<90: add(later, redeem(number))
        default: break
        }
    }

    /// A purchase with a promotional offer, which needs a signature from the server.
    private func redeem(_ number: Int) -> StoreCommand {
        .purchase(
            customer: customers[number].name, product: "com.example.premium.monthly", offer: "save20",
            appAccountToken: AppAccountToken(customers[number].token))
    }

    private mutating func firstProduct() -> String {
        switch random.next(below: 100) {
        case 0..<45: "premium.monthly"
        case 45..<60: "premium.yearly"
        case 60..<85: "basic.monthly"
        default: "news.monthly"
        }
    }

    private mutating func buy(_ number: Int, _ product: String, at time: TimeInterval) {
        let customer = customers[number]
        add(
            time,
            .purchase(
                customer: customer.name, product: "com.example." + product,
                appAccountToken: AppAccountToken(customer.token)))
    }

    private mutating func add(_ time: TimeInterval, _ command: StoreCommand) {
        commands.append(ScheduledCommand(time: time, command: command))
    }

    /// A linear congruential generator with a fixed seed, so that every run is the same.
    private struct RandomNumbers {
        private var state: UInt64 = 2026

        /// Returns a number from 0 up to, but not including, `bound`.
        mutating func next(below bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(max(bound, 1)))
        }
    }
}
