public import AppStoreModels

/// A response that is one page of several.
public protocol AppStorePage: Sendable {
    /// The type of the items on a page.
    associatedtype Item: Sendable

    /// The items on this page.
    var items: [Item] { get }

    /// The token of the next page: `revision` or `paginationToken`. Some endpoints accept a stored token later: see
    /// ``AppStorePages``.
    var nextPage: String? { get }

    /// Whether there is another page now.
    var hasMore: Bool { get }
}

/// The pages of a response, fetched on demand during iteration.
///
/// Every request is the same as the first except for the page token. In the histories of transactions and refunds the
/// last page has a token too. Store ``AppStorePage/nextPage`` after you have processed each page, and pass the last one
/// to the same method later to get only new items.
///
/// ```swift
/// for try await page in client.transactionHistory(of: id, after: stored) {
///     try await save(page.signedTransactions)
///     stored = page.revision
/// }
/// ```
///
/// Each iteration starts from the beginning. An error ends it.
public struct AppStorePages<Page: AppStorePage>: AsyncSequence, Sendable {
    /// One page.
    public typealias Element = Page
    /// The error thrown when a page cannot be fetched.
    public typealias Failure = AppStoreServerError

    let endpoint: AppStoreEndpoint
    let first: String?
    let fetch: @Sendable (String?) async throws(AppStoreServerError) -> Page

    /// Creates a sequence that begins with the page of the token `first`. `fetch` receives the token of a page.
    package init(
        endpoint: AppStoreEndpoint, first: String?,
        fetch: @escaping @Sendable (String?) async throws(AppStoreServerError) -> Page
    ) {
        self.endpoint = endpoint
        self.first = first
        self.fetch = fetch
    }

    /// The items of all pages, one at a time.
    public var items: AppStoreItems<Page> { AppStoreItems(pages: self) }

    /// Starts with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

    /// Fetches the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let pages: AppStorePages
        private var token: String?
        private var isOver = false
        private var failure: AppStoreServerError?
        private var cycleDetector = PageCycleDetector()

        fileprivate init(pages: AppStorePages) {
            self.pages = pages
            token = pages.first.flatMap { $0.isEmpty ? nil : $0 }
        }

        /// The next page, or nil after the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(AppStoreServerError) -> Page? {
            if let failure {
                self.failure = nil
                throw failure
            }
            guard !isOver else { return nil }
            isOver = true
            if let token { cycleDetector.start(at: token) }
            let page = try await pages.fetch(token)
            guard page.hasMore else { return page }
            // The current page is valid: return it, and throw the error instead of the next page.
            guard let next = page.nextPage, !next.isEmpty else {
                failure = paginationError("the response announces another page but has no token for it")
                return page
            }
            guard !cycleDetector.isRepeated(next) else {
                failure = paginationError("a page token was repeated")
                return page
            }
            token = next
            isOver = false
            return page
        }

        private func paginationError(_ reason: String) -> AppStoreServerError {
            AppStoreServerError(.invalidPagination, reason).adding(pages.endpoint, attempts: 1)
        }
    }
}

/// The items on the pages of a response, one at a time. Pages are fetched on demand.
public struct AppStoreItems<Page: AppStorePage>: AsyncSequence, Sendable {
    /// One item.
    public typealias Element = Page.Item
    /// The error thrown when a page cannot be fetched.
    public typealias Failure = AppStoreServerError

    let pages: AppStorePages<Page>

    /// Starts with the first item.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }

    /// Iterates over the items.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var pages: AppStorePages<Page>.AsyncIterator
        private var items: ArraySlice<Page.Item> = []

        fileprivate init(pages: AppStorePages<Page>.AsyncIterator) { self.pages = pages }

        /// The next item, or nil after the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(AppStoreServerError) -> Page.Item? {
            // A page may be empty without being the last one.
            while items.isEmpty {
                guard let page = try await pages.next(isolation: actor) else { return nil }
                items = page.items[...]
            }
            return items.popFirst()
        }
    }
}

/// Detects repeating page tokens, for cycles of any length, with only two stored tokens: Brent's algorithm, and the
/// last token for the most likely cycle.
struct PageCycleDetector {
    private var last: String?
    private var anchor: String?
    private var distance = 0
    private var limit = 1

    mutating func start(at token: String) {
        guard last == nil else { return }
        last = token
        anchor = token
    }

    mutating func isRepeated(_ token: String) -> Bool {
        if token == anchor || token == last { return true }
        last = token
        distance += 1
        if distance >= limit {
            anchor = token
            distance = 0
            limit = limit > 1 << 40 ? limit : limit * 2
        }
        return false
    }
}

extension HistoryResponse: AppStorePage {
    /// The signed transactions.
    public var items: [String] { signedTransactions }
    /// The `revision`; the last page has one too.
    public var nextPage: String? { revision }
}

extension RefundHistoryResponse: AppStorePage {
    /// The signed transactions.
    public var items: [String] { signedTransactions }
    /// The `revision`; the last page has one too.
    public var nextPage: String? { revision }
}

extension NotificationHistoryResponse: AppStorePage {
    /// The notifications.
    public var items: [NotificationHistoryResponseItem] { notificationHistory }
    /// The `paginationToken`; the last page has none.
    public var nextPage: String? { paginationToken }
}

extension GetGroupMembersResponse: AppStorePage {
    /// The members.
    public var items: [GroupMemberEntry] { members }
    /// The `paginationToken`; the last page has none.
    public var nextPage: String? { paginationToken }
}
