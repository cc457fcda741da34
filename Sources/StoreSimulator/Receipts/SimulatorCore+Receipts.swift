package import AppStoreModels
internal import AppStoreReceipts
internal import AppStoreTrust
package import Foundation

extension SimulatorCore {
    /// The unified receipt of a customer's device, as the device gets it now, and the identifier that it is bound to.
    package func receipt(
        of customer: String, on device: String? = nil, in environment: AppStoreEnvironment
    ) throws -> (receipt: Data, deviceID: UUID) {
        let (contents, id) = try read(environment) { store, now throws(StoreError) in
            let id = try store.deviceID(of: customer, on: device)
            return (try store.receiptContents(of: customer, device: id, at: now), id)
        }
        return (try receiptAuthority().sign(contents), id)
    }

    /// The authority for receipts, whose certificates join the others in the folder when it is made.
    func receiptAuthority() throws -> ReceiptAuthority {
        if let made = authority.receiptAuthorityIfMade { return made }
        let made = try authority.receiptAuthority()
        try writeCertificates()
        return made
    }

    /// Writes the certificates as they are now for other tools to trust.
    func writeCertificates() throws {
        if let directory = authority.directory {
            try authority.write(to: SimulatorDirectory.certificates(in: directory))
        }
    }

    /// Answers a request to `verifyReceipt`.
    package func verifyReceipt(
        method: String = "POST", _ body: Data, in environment: AppStoreEnvironment
    ) -> HTTPAnswer {
        let effects = strike(["route:*", "route:verifyReceipt"], in: environment)
        let fate = RouteFate(effects, now: now)
        if let answer = fate.answer { return answer }
        var answer: HTTPAnswer
        do {
            answer = .json(Array(try verifiedReceipt(method, body, in: environment).json.utf8))
        } catch {
            answer = .json(Array(VerifyReceiptAnswer(status: .unavailable).json.utf8))
        }
        fate.spoil(&answer)
        return answer
    }

    private func verifiedReceipt(
        _ method: String, _ body: Data, in environment: AppStoreEnvironment
    ) throws -> VerifyReceiptAnswer {
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
        return try VerifyReceiptAnswer(check, update) { try authority.sign($0) }
    }
}
