package import AppStoreModels
internal import AppStoreReceipts
internal import AppStoreTrust
package import Foundation
internal import Synchronization

extension SimulatorCore {
    /// Returns the current unified receipt of a customer's device, and the identifier for vendor that it is bound to.
    package func receipt(
        of customer: String, on device: String? = nil, in environment: AppStoreEnvironment
    ) throws -> (receipt: Data, deviceID: UUID) {
        let (contents, id) = try read(environment) { store, now throws(StoreError) in
            let id = try store.deviceID(of: customer, on: device)
            return (try store.receiptContents(of: customer, device: id, at: now), id)
        }
        return (try receiptAuthority().sign(contents), id)
    }

    /// Returns the authority for receipts. Its certificates are in the folder by then.
    func receiptAuthority() throws -> ReceiptAuthority {
        if let made = authority.existingReceiptAuthority, hasReceiptCertificates.withLock({ $0 }) { return made }
        let made = try authority.receiptAuthority()
        try writeCertificates()
        return made
    }

    /// Writes the current certificates to the folder, so that other tools can trust them.
    func writeCertificates() throws {
        // One at a time, so that the newest certificates are written last.
        try hasReceiptCertificates.withLock { hasReceiptCertificates in
            let hasAuthority = authority.existingReceiptAuthority != nil
            if let directory = authority.directory {
                try authority.write(to: SimulatorDirectory.certificates(in: directory))
            }
            hasReceiptCertificates = hasAuthority
        }
    }

    /// Answers a request to `verifyReceipt`.
    package func verifyReceipt(
        method: String = "POST", _ body: Data, in environment: AppStoreEnvironment
    ) -> SimulatorResponse {
        applyingFaults(to: "verifyReceipt", in: environment) { _ in
            do {
                return .json(Array(try verifiedReceipt(method, body, in: environment).utf8))
            } catch {
                return .json(Array(VerifyReceiptResponse(status: .unavailable).json.utf8))
            }
        }
    }

    private func verifiedReceipt(
        _ method: String, _ body: Data, in environment: AppStoreEnvironment
    ) throws -> String {
        let authority = try receiptAuthority()
        let now = now
        let validator = ReceiptValidator(
            anchors: try TrustAnchors(certificates: [Data(authority.root.der)]), now: { now })
        let endpoint = VerifyReceiptEndpoint(
            validator: validator, environment: environment == .sandbox ? .sandbox : .production,
            sharedSecrets: configuration.sharedSecrets)
        let check = ReceiptCheck(method: method, body: body, endpoint: endpoint)
        let update = change(environment) { store, now in
            store.run(until: now)
            return store.update(of: check, at: now)
        }
        return try check.json(with: update) { try authority.sign($0) }
    }
}
