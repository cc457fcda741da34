import AppStoreReceipts
import Foundation
import StoreSimulator

extension ReceiptCommand {
    /// Returns a validator that trusts a running simulator: its roots and its clock.
    func validatorOfSimulator() async throws -> ReceiptValidator {
        let client = ControlClient(try await SimulatorLocation.find(folder))
        let clock: ClockLine = try await client.call("GET", ["clock"])
        let now = clock.now
        var trust = self.trust
        trust.roots = client.information.rootCertificates
        var validator = try validator(trusting: trust)
        validator.now = { now }
        return validator
    }
}
