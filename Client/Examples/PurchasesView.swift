// A screen for what the customer has. It needs SwiftUI, so nothing on Linux compiles it.
import CounterfoilClient
import SwiftUI

struct PurchasesView: View {
    let client: PurchaseClient
    let product: String
    @State private var customer: Customer?
    @State private var message = ""
    @Environment(\.scenePhase) private var phase

    var body: some View {
        VStack(spacing: 16) {
            if customer?.isActive("pro") == true {
                Text("You have Pro.")
                // In a grace period the customer still has access.
                if customer?.nextStep == .fixPayment {
                    Text("Your payment failed. Update your payment method to keep Pro.")
                }
            } else if customer?.nextStep == .fixPayment {
                Text("Your payment failed. Update your payment method to use Pro.")
            } else if customer?.readiness == .ready {
                Button("Get Pro") { perform { try await buy() } }
            } else {
                ProgressView()
            }
            Button("Restore purchases") { perform { try await restore() } }
            Text(message)
        }
        .task { for await customer in client.customers { self.customer = customer } }
        .onChange(of: phase) { if $0 == .active { client.enterForeground() } }
    }

    private func buy() async throws -> String {
        switch try await client.buy(product) {
        case .purchased(_, .belongsToAnotherCustomer): "This purchase belongs to another account."
        case .purchased(_, .stuck): "We have not confirmed your purchase yet. It is not lost."
        case .pending: "Your purchase waits for approval."
        case .purchased, .cancelled: ""
        }
    }

    private func restore() async throws -> String {
        let failure = try await client.restore().failure
        return failure == nil ? "" : "We could not ask for all of your purchases. Please try again later."
    }

    private func perform(_ action: @escaping @MainActor () async throws -> String) {
        Task { do { message = try await action() } catch { message = "That did not work: \(error)" } }
    }
}
