#if canImport(StoreKit)
    public import CounterfoilClient
    public import Foundation
    public import StoreKit

    /// Adapts StoreKit to ``PurchaseClient``. It contains no logic of its own.
    public actor StoreKitPurchaseStore: PurchaseStore {
        /// Shows the confirmation sheet and buys.
        public typealias Purchase =
            @MainActor @Sendable (Product, Set<Product.PurchaseOption>) async throws -> Product.PurchaseResult

        private let buy: Purchase
        private var known: [String: Product] = [:]
        /// The transactions of recent purchases, which may still be missing from StoreKit's list of unfinished ones.
        private var bought: [UInt64: StoreKit.Transaction] = [:]

        /// - Parameter purchase: Buys a product in a scene: `{ try await $0.purchase(confirmIn: scene, options: $1) }`.
        public init(purchase: @escaping Purchase) { buy = purchase }

        #if !os(visionOS)
            /// Makes a store that lets StoreKit choose the window.
            public init() { buy = { product, options in try await product.purchase(options: options) } }
        #endif

        /// The changes of transactions and subscription states outside a purchase of this app.
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
                continuation.onTermination = { _ in [transactions, statuses].forEach { $0.cancel() } }
            }
        }

        /// Returns `Transaction.unfinished`.
        public func unfinished() async -> [DeviceTransaction] { await Self.list(StoreKit.Transaction.unfinished) }

        /// Returns `Transaction.currentEntitlements`.
        public func current() async -> [DeviceTransaction] { await Self.list(StoreKit.Transaction.currentEntitlements) }

        /// Returns `Transaction.all`.
        public func all() async -> [DeviceTransaction] { await Self.list(StoreKit.Transaction.all) }

        /// Returns the states of all subscription groups of which the customer has a transaction.
        public func statuses() async -> [DeviceStatus] {
            var groups: Set<String> = []
            for await result in StoreKit.Transaction.all {
                if let group = result.unsafePayloadValue.subscriptionGroupID { groups.insert(group) }
            }
            var statuses: [DeviceStatus] = []
            for group in groups.sorted() {
                // Ignore a failure: the group is requested again next time.
                statuses += (try? await Product.SubscriptionInfo.status(for: group))?.map { DeviceStatus($0) } ?? []
            }
            return statuses
        }

        /// Returns `AppTransaction.shared` without refreshing it; nil before iOS 16 or if it is not available.
        public func appTransaction() async -> String? {
            guard #available(iOS 16, macOS 13, tvOS 16, watchOS 9, visionOS 1, *) else { return nil }
            return try? await AppTransaction.shared.jwsRepresentation
        }

        /// Returns the app's receipt on the device without refreshing it.
        public func receipt() async -> Data? {
            // A missing file means that there is no receipt.
            Bundle.main.appStoreReceiptURL.flatMap { try? Data(contentsOf: $0) }
        }

        /// Loads products from the App Store.
        public func products(_ ids: [String]) async throws -> [DeviceProduct] {
            let products = try await Product.products(for: ids)
            for product in products { known[product.id] = product }
            return products.map { DeviceProduct($0) }
        }

        /// Buys a product, on the main actor.
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
                // If the product was bought, `updates` reports the transaction.
                @unknown default: return .pending
                }
            } catch StoreKitError.userCancelled {
                return .cancelled
            } catch let error as Product.PurchaseError {
                // Only this error means that nothing was bought. After others, such as a lost network, a transaction
                // may follow.
                throw PurchaseClientError(.purchaseRefused, "\(error)")
            }
        }

        // The errors of this function and of `options(_:for:)` mean that the purchase did not start.
        private func product(_ id: String) async throws(PurchaseClientError) -> Product {
            if let product = known[id] { return product }
            do { _ = try await products([id]) } catch { throw PurchaseClientError(.productNotLoaded, "\(error)") }
            guard let product = known[id] else { throw PurchaseClientError(.purchaseRefused, "no product \(id)") }
            return product
        }

        /// Finishes every transaction with this identifier.
        public func finish(_ transactionID: UInt64) async {
            await bought.removeValue(forKey: transactionID)?.finish()
            for await case .verified(let transaction) in StoreKit.Transaction.unfinished
            where transaction.id == transactionID { await transaction.finish() }
        }

        /// Calls `AppStore.sync()`, which may ask the customer for a password.
        public func sync() async throws { try await AppStore.sync() }

        private static func list(_ transactions: StoreKit.Transaction.Transactions) async -> [DeviceTransaction] {
            await transactions.reduce(into: []) { $0.append(DeviceTransaction($1)) }
        }

        private static func options(
            _ options: PurchaseOptions, for product: Product
        ) throws(PurchaseClientError) -> Set<Product.PurchaseOption> {
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
                else { throw PurchaseClientError(.purchaseRefused, "no offer \(id)") }
                list.insert(.winBackOffer(offer))
            case nil: break
            }
            return list
        }
    }
#endif
