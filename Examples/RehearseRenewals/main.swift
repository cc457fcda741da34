// Rehearses half a year of a subscription against a local App Store: it renews, a payment fails, and it recovers.
//
//     swift run example-rehearse-renewals
//
// To send the notifications to your server, set `configuration.production.notificationURL` to its URL.
import Foundation
import StoreSimulator

var configuration = SimulatorConfiguration()
configuration.clock = .frozen(Date(timeIntervalSince1970: 1_767_225_600))
configuration.production.gracePeriod = .sixteenDays
let simulator = try await Simulator.start(configuration)

let bought = try await simulator.perform(.purchase(customer: "anna", product: "com.example.basic.monthly"))
try await simulator.advance(by: .months(5))
try await simulator.perform(.failBilling(customer: "anna"))
try await simulator.advance(by: .month)
print(try simulator.state(of: "anna").summary)
try await simulator.perform(.fixBilling(customer: "anna"))
print(try simulator.state(of: "anna").summary)

// The simulator responds and signs like the App Store, so the same client and verifier work with both.
let (client, verifier) = (try simulator.client(), try simulator.verifier())
for try await text in client.transactionHistory(of: bought.transactionID ?? "").items {
    let transaction = try await verifier.transaction(text).payload
    print(transaction.purchaseDate.formatted(.iso8601), transaction.transactionReason?.rawValue ?? "")
}
await simulator.stop()
