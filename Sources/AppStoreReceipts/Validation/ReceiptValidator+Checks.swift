internal import AppStoreModels
internal import AppStoreTrust
internal import Crypto
public import Foundation

extension ReceiptValidator {
    /// Step 2: the receipt is for one of ``bundleIDs`` and one of ``versions``.
    ///
    /// - Throws: `wrong_app`, `wrong_version`.
    public func checkApp(_ receipt: Verified<Receipt>) throws(VerificationError) {
        if let bundleIDs, !bundleIDs.containsExactly(receipt.payload.bundleID) {
            throw VerificationError(.wrongApp, "the receipt is not for \(bundleIDs.sorted().joined(separator: ", "))")
        }
        if let versions, !(receipt.payload.version.map(versions.containsExactly) ?? false) {
            throw VerificationError(
                .wrongVersion, "the receipt is not for version \(versions.sorted().joined(separator: ", "))")
        }
    }

    /// Step 2: the receipt was made for this device.
    ///
    /// A mismatch means a copied receipt, or an identifier that changed: ask the app for a fresh receipt.
    ///
    /// - Parameter deviceID: On iOS and its kin the 16 bytes of the identifier for the vendor; on macOS the 6 bytes of the
    ///   network address that Apple's documentation tells to use.
    /// - Throws: `wrong_device`; also for a transaction receipt that names no identifier for the vendor.
    public func checkDevice(_ deviceID: Data, of receipt: Verified<Receipt>) throws(VerificationError) {
        let isSame: Bool
        switch receipt.payload {
        case .app(let receipt):
            var hash = Insecure.SHA1()
            hash.update(data: deviceID)
            hash.update(data: receipt.opaqueValue)
            hash.update(data: receipt.bundleIDOctets)
            isSame = Data(hash.finalize()) == receipt.deviceHash
        case .transaction(let receipt):
            isSame = receipt.uniqueVendorIdentifier?.bytes == deviceID
        }
        guard isSame else { throw VerificationError(.wrongDevice, "the receipt was made for another device") }
    }

    /// The receipt is of one of ``environments``.
    ///
    /// Most transaction receipts do not say where they were made. What is not known to be of production counts as of the
    /// sandbox there. A unified receipt says it by its type.
    ///
    /// - Throws: `wrong_environment`; also for a unified receipt whose type is absent or not known.
    public func checkEnvironment(_ receipt: Verified<Receipt>) throws(VerificationError) {
        guard let environment = receipt.payload.environment else {
            if case .transaction = receipt.payload, environments?.contains(.sandbox) ?? true { return }
            throw VerificationError(.wrongEnvironment, "the receipt's environment is not known")
        }
        if let environments, !environments.contains(environment) {
            let names = environments.map(\.rawValue).sorted().joined(separator: ", ")
            throw VerificationError(.wrongEnvironment, "the receipt is of \(environment), not of \(names)")
        }
    }

    /// The receipt still holds: volume purchases can end. Subscriptions are another matter.
    ///
    /// - Throws: `receipt_expired`.
    public func checkExpiration(_ receipt: Verified<Receipt>) throws(VerificationError) {
        guard let end = receipt.payload.expirationDate, end <= now() else { return }
        throw VerificationError(.receiptExpired, "the receipt held until \(end.formatted(.iso8601))")
    }

    /// Step 3: the purchases of a unified receipt in file order; none for a transaction receipt, which is one itself.
    public func purchases(of receipt: Verified<Receipt>) -> [InAppPurchase] {
        guard case .app(let receipt) = receipt.payload else { return [] }
        return receipt.purchases
    }
}
