#if canImport(StoreKit)
    public import CounterfoilClient
    public import Foundation
    public import StoreKit

    /// StoreKit, as ``PurchaseClient`` wants it. It decides nothing.
    public actor StoreKitPurchaseStore: PurchaseStore {
        /// Shows the confirmation sheet and buys.
        public typealias Purchase =
            @MainActor @Sendable (Product, Set<Product.PurchaseOption>) async throws -> Product.PurchaseResult

        private let buy: Purchase
        private var known: [String: Product] = [:]
        /// What was bought a moment ago. StoreKit's own list may not have it yet.
        private var bought: [UInt64: StoreKit.Transaction] = [:]

        /// - Parameter purchase: How to buy where a scene is needed: `{ try await $0.purchase(confirmIn: scene, options: $1) }`.
        public init(purchase: @escaping Purchase) { buy = purchase }

        #if !os(visionOS)
            /// Lets StoreKit find the window.
            public init() { buy = { product, options in try await product.purchase(options: options) } }
        #endif

        /// Transactions and states that change outside a purchase of this app.
        public nonisolated var updates: AsyncStream<StoreUpdate> {
            AsyncStream { continuation in
                let transactions = Task {
                    for await result in StoreKit.Transaction.updates {
                        continuation.yield(.transaction(DeviceTransaction(result)))
                    }
                }
                let statuses = Task {
                    for await _ in Product.SubscriptionInfo.Status.updates { continuation.yield(.statuses) }
                }
                continuation.onTermination = { _ in
                    transactions.cancel()
                    statuses.cancel()
                }
            }
        }

        /// `Transaction.unfinished`.
        public func unfinished() async -> [DeviceTransaction] { await Self.list(StoreKit.Transaction.unfinished) }

        /// `Transaction.currentEntitlements`.
        public func current() async -> [DeviceTransaction] { await Self.list(StoreKit.Transaction.currentEntitlements) }

        /// `Transaction.all`.
        public func all() async -> [DeviceTransaction] { await Self.list(StoreKit.Transaction.all) }

        /// The states of the groups that there is a transaction of. Who never subscribed has none.
        public func statuses() async -> [DeviceStatus] {
            var groups: Set<String> = []
            for await result in StoreKit.Transaction.all {
                if let group = result.unsafePayloadValue.subscriptionGroupID { groups.insert(group) }
            }
            var statuses: [DeviceStatus] = []
            for group in groups.sorted() {
                // A group that cannot be asked for now is asked for next time.
                statuses += (try? await Product.SubscriptionInfo.status(for: group))?.map { DeviceStatus($0) } ?? []
            }
            return statuses
        }

        /// `AppTransaction.shared`; nil before iOS 16 and while there is none. It is never refreshed.
        public func appTransaction() async -> String? {
            guard #available(iOS 16, macOS 13, tvOS 16, watchOS 9, visionOS 1, *) else { return nil }
            return try? await AppTransaction.shared.jwsRepresentation
        }

        /// The app's receipt, as it is on the device.
        public func receipt() async -> Data? {
            // Without a file there is no receipt, and nothing to report.
            Bundle.main.appStoreReceiptURL.flatMap { try? Data(contentsOf: $0) }
        }

        /// The products that are for sale.
        public func products(_ ids: [String]) async throws -> [DeviceProduct] {
            let products = try await Product.products(for: ids)
            for product in products { known[product.id] = product }
            return products.map { DeviceProduct($0) }
        }

        /// Buys, on the main actor.
        public func purchase(_ productID: String, _ options: PurchaseOptions) async throws -> PurchaseResult {
            let product = try await product(productID)
            let storeOptions = try Self.options(options, for: product)
            do {
                switch try await buy(product, storeOptions) {
                case .success(let result):
                    let transaction = DeviceTransaction(result)
                    if transaction.isVerified { bought[transaction.id] = result.unsafePayloadValue }
                    return .success(transaction)
                case .userCancelled: return .cancelled
                case .pending: return .pending
                // Whatever it is: if it was bought, it comes by `updates`.
                @unknown default: return .pending
                }
            } catch StoreKitError.userCancelled {
                return .cancelled
            } catch let error as Product.PurchaseError {
                // Other errors may hide a purchase: the network was lost, say.
                throw StoreKitPurchaseError.refused("\(error)")
            }
        }

        // Its error says that nothing can come of the purchase, and so does that of `options(_:for:)`.
        private func product(_ id: String) async throws(StoreKitPurchaseError) -> Product {
            if known[id] == nil {
                do { _ = try await products([id]) } catch { throw .productNotLoaded("\(error)") }
            }
            guard let product = known[id] else { throw .productNotFound(id) }
            return product
        }

        /// Takes every transaction of this identifier out of the queue.
        public func finish(_ transactionID: UInt64) async {
            await bought.removeValue(forKey: transactionID)?.finish()
            for await case .verified(let transaction) in StoreKit.Transaction.unfinished
            where transaction.id == transactionID {
                await transaction.finish()
            }
        }

        /// `AppStore.sync()`: the customer may be asked for a password.
        public func sync() async throws { try await AppStore.sync() }

        private static func list(_ transactions: StoreKit.Transaction.Transactions) async -> [DeviceTransaction] {
            await transactions.reduce(into: []) { $0.append(DeviceTransaction($1)) }
        }

        private static func options(
            _ options: PurchaseOptions, for product: Product
        ) throws(StoreKitPurchaseError) -> Set<Product.PurchaseOption> {
            var list: Set<Product.PurchaseOption> = []
            if let token = options.appAccountToken { list.insert(.appAccountToken(token)) }
            if options.quantity > 1 { list.insert(.quantity(options.quantity)) }
            switch options.offer {
            case .promotional(let id, let jws):
                list.formUnion(Product.PurchaseOption.promotionalOffer(id, compactJWS: jws))
            case .introductory(let jws): list.insert(.introductoryOfferEligibility(compactJWS: jws))
            case .winBack(let id):
                guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *),
                    let offer = product.subscription?.winBackOffers.first(where: { $0.id == id })
                else { throw .offerNotFound(id) }
                list.insert(.winBackOffer(offer))
            case nil: break
            }
            return list
        }
    }

    /// Why nothing can come of a purchase: StoreKit was not asked to buy, or refused.
    public enum StoreKitPurchaseError: UnstartedPurchaseError, Hashable, Sendable {
        /// No such product is for sale here.
        case productNotFound(String)
        /// StoreKit could not load the product, and said this: there may be no network.
        case productNotLoaded(String)
        /// The product has no such offer for this customer, or the system is too old.
        case offerNotFound(String)
        /// StoreKit refused the product, the offer or the customer (`Product.PurchaseError`), and said this.
        case refused(String)
    }
#endif
