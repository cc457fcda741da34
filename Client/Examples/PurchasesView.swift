// A screen for what the customer has. It needs SwiftUI, so nothing on Linux compiles it.
import CounterfoilClient
import SwiftUI

@MainActor final class Purchases: ObservableObject {
    @Published private(set) var customer: Customer?
    @Published var message = ""
    let client: PurchaseClient

    init(_ client: PurchaseClient) { self.client = client }

    func watch() async { for await customer in client.customers { self.customer = customer } }

    func buy(_ product: String) async {
        do {
            switch try await client.buy(product) {
            case .purchased(_, .belongsToAnotherCustomer): message = "This purchase belongs to another account."
            case .purchased(_, .stuck): message = "We have not confirmed your purchase yet. It is not lost."
            case .pending: message = "Your purchase waits for approval."
            case .purchased, .cancelled: message = ""
            }
        } catch { message = "That did not work: \(error)" }
    }

    func restore() async {
        do {
            let failure = try await client.restore().failure
            message = failure == nil ? "" : "We could not ask for all of your purchases. Please try again later."
        } catch { message = "That did not work: \(error)" }
    }
}

struct PurchasesView: View {
    @StateObject var purchases: Purchases
    @Environment(\.scenePhase) private var phase
    let product: String

    var body: some View {
        VStack(spacing: 16) {
            switch (purchases.customer?.isActive("pro"), purchases.customer?.readiness, purchases.customer?.nextStep) {
            case (true, _, .fixPayment): Text("Your payment failed. Update your payment method to keep Pro.")
            case (true, _, _): Text("You have Pro.")
            case (_, .checking, _), (nil, _, _): ProgressView()
            case (_, _, .fixPayment): Text("Pro is paused: your payment failed.")
            default:
                Button("Get Pro") { Task { await purchases.buy(product) } }
            }
            Button("Restore purchases") { Task { await purchases.restore() } }
            Text(purchases.message)
        }
        .task { await purchases.watch() }
        .onChange(of: phase) { if $0 == .active { purchases.client.enterForeground() } }
    }
}
