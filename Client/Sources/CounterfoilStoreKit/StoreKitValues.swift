#if canImport(StoreKit)
    public import CounterfoilClient
    import Foundation
    public import StoreKit

    extension DeviceTransaction {
        /// Makes a transaction from StoreKit's, for ``PurchaseClient/record(_:)``.
        ///
        /// Only the result has the JWS, so pass the result and not its transaction.
        public init(_ result: VerificationResult<StoreKit.Transaction>) {
            let transaction = result.unsafePayloadValue
            self.init(
                id: transaction.id, originalID: transaction.originalID, productID: transaction.productID,
                kind: ProductKind(transaction.productType), quantity: transaction.purchasedQuantity,
                purchaseDate: transaction.purchaseDate, expirationDate: transaction.expirationDate,
                revocationDate: transaction.revocationDate, isUpgraded: transaction.isUpgraded,
                // Apple documents the constant, but not its raw value.
                ownership: transaction.ownershipType == .familyShared
                    ? .familyShared : Ownership(rawValue: transaction.ownershipType.rawValue),
                appAccountToken: transaction.appAccountToken,
                // StoreKit's `environment` property requires iOS 16.
                environment: SignedText.environment(of: result.jwsRepresentation) ?? "",
                signedDate: transaction.signedDate, jws: result.jwsRepresentation, isVerified: result.isVerified)
        }
    }

    extension DeviceStatus {
        init(_ status: Product.SubscriptionInfo.Status) {
            let renewal = status.renewalInfo.unsafePayloadValue
            self.init(
                state: CounterfoilClient.RenewalState(status.state), transaction: DeviceTransaction(status.transaction),
                renewalJWS: status.renewalInfo.jwsRepresentation, renewalSignedDate: renewal.signedDate,
                gracePeriodExpirationDate: renewal.gracePeriodExpirationDate,
                isVerified: status.transaction.isVerified && status.renewalInfo.isVerified)
        }
    }

    extension VerificationResult {
        fileprivate var isVerified: Bool { if case .verified = self { true } else { false } }
    }

    extension DeviceProduct {
        init(_ product: Product) {
            self.init(
                id: product.id, kind: ProductKind(product.type), displayName: product.displayName,
                description: product.description, displayPrice: product.displayPrice, price: product.price,
                groupID: product.subscription?.subscriptionGroupID)
        }
    }

    extension ProductKind {
        init(_ type: Product.ProductType) {
            switch type {
            case .consumable: self = .consumable
            case .nonConsumable: self = .nonConsumable
            case .autoRenewable: self = .autoRenewable
            case .nonRenewable: self = .nonRenewing
            default: self.init(rawValue: type.rawValue)
            }
        }
    }

    extension CounterfoilClient.RenewalState {
        init(_ state: Product.SubscriptionInfo.RenewalState) {
            switch state {
            case .subscribed: self = .subscribed
            case .expired: self = .expired
            case .inBillingRetryPeriod: self = .inBillingRetry
            case .inGracePeriod: self = .inGracePeriod
            case .revoked: self = .revoked
            default: self.init(rawValue: state.rawValue)
            }
        }
    }
#endif
