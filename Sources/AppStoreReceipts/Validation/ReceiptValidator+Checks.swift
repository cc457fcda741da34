internal import AppStoreModels
internal import AppStoreTrust
internal import Crypto
public import Foundation

extension ReceiptValidator {
    /// Step 2: Throws unless the receipt is for one of ``bundleIDs`` and one of ``versions``.
    ///
    /// - Throws: `wrong_app`, `wrong_version`.
    public func checkApp(_ receipt: Verified<Receipt>) throws(VerificationError) {
        if let bundleIDs, !bundleIDs.containsExactly(receipt.payload.bundleID) {
            // Do not name the accepted apps: a server shows the message to the clients of any one of them.
            throw VerificationError(.wrongApp, "the receipt is for an app that is not accepted")
        }
        if let versions, !(receipt.payload.version.map(versions.containsExactly) ?? false) {
            throw VerificationError(
                .wrongVersion, "the receipt is not for version \(versions.sorted().joined(separator: ", "))")
        }
    }

    /// Step 2: Throws unless the receipt was issued for this device.
    ///
    /// A mismatch means that the receipt was copied, or that the identifier changed: request a new receipt from the
    /// app.
    ///
    /// - Parameter deviceID: On iOS and related systems the 16 bytes of the identifier for vendor; on macOS the 6 bytes
    ///   of the MAC address, as described in Apple's documentation.
    /// - Throws: `wrong_device`; also for a transaction receipt without an identifier for vendor.
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

    /// Throws unless the receipt is from one of ``environments``.
    ///
    /// The environment of most transaction receipts is unknown. They are accepted if the sandbox is. A unified receipt
    /// contains its environment in its type.
    ///
    /// - Throws: `wrong_environment`; also for a unified receipt whose type is absent or unknown.
    public func checkEnvironment(_ receipt: Verified<Receipt>) throws(VerificationError) {
        guard let environment = receipt.payload.environment else {
            if case .transaction = receipt.payload, environments?.contains(.sandbox) ?? true { return }
            throw VerificationError(.wrongEnvironment, "the receipt's environment is not known")
        }
        if let environments, !environments.contains(environment) {
            let names = environments.map(\.rawValue).sorted().joined(separator: ", ")
            throw VerificationError(.wrongEnvironment, "the receipt is from \(environment.rawValue), not from \(names)")
        }
    }

    /// Throws if the receipt itself has expired, as volume purchases can. Does not check subscriptions.
    ///
    /// - Throws: `receipt_expired`.
    public func checkExpiration(_ receipt: Verified<Receipt>) throws(VerificationError) {
        guard let end = receipt.payload.expirationDate, end <= now() else { return }
        throw VerificationError(.receiptExpired, "the receipt expired at \(end.formatted(.iso8601))")
    }

    /// Step 3: Returns the purchases of a unified receipt in file order. Returns none for a transaction receipt, which
    /// is itself a purchase.
    public func purchases(of receipt: Verified<Receipt>) -> [InAppPurchase] {
        guard case .app(let receipt) = receipt.payload else { return [] }
        return receipt.purchases
    }
}
