public import AppStoreModels

/// An answer that is one page of several.
public protocol AppStorePage: Sendable {
    /// What a page lists.
    associatedtype Item: Sendable

    /// What is on this page.
    var items: [Item] { get }

    /// The token that leads on from here: `revision` or `paginationToken`. Store it to go on another day, if the endpoint
    /// allows that: see ``AppStorePages``.
    var nextPage: String? { get }

    /// Whether there is another page now.
    var hasMore: Bool { get }
}

/// The pages of an answer, fetched one at a time while they are iterated over.
///
/// Every request is the same as the first but for the token of the page. For the history of transactions and of refunds
/// the last page has a token too: store ``AppStorePage/nextPage`` after each page is dealt with, hand the last one to the
/// same method the next time, and get only what is new.
///
/// ```swift
/// for try await page in client.transactionHistory(of: id, after: stored) {
///     try await keep(page.signedTransactions)
///     stored = page.revision
/// }
/// ```
///
/// Each iteration starts from the beginning. An error ends it.
public struct AppStorePages<Page: AppStorePage>: AsyncSequence, Sendable {
    /// One page.
    public typealias Element = Page
    /// What fetching a page throws.
    public typealias Failure = AppStoreServerError

    let endpoint: AppStoreEndpoint
    let first: String?
    let fetch: @Sendable (String?) async throws(AppStoreServerError) -> Page

    /// Pages fetched by `fetch`, which is given the token of the page, beginning with `first`.
    package init(
        endpoint: AppStoreEndpoint, first: String?,
        fetch: @escaping @Sendable (String?) async throws(AppStoreServerError) -> Page
    ) {
        self.endpoint = endpoint
        self.first = first
        self.fetch = fetch
    }

    /// What is on the pages, one by one.
    public var items: AppStoreItems<Page> { AppStoreItems(pages: self) }

    /// Starts with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

    /// Fetches the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let pages: AppStorePages
        private var token: String?
        private var isOver = false
        private var failure: AppStoreServerError?
        private var watch = CircleWatch()

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
            if let token { watch.start(at: token) }
            let page = try await pages.fetch(token)
            guard page.hasMore else { return page }
            // This page is good; the error comes in place of the next one.
            guard let next = page.nextPage, !next.isEmpty else {
                failure = endless("there are said to be more pages, but not where")
                return page
            }
            guard !watch.closesCircle(next) else {
                failure = endless("the pages go round in a circle")
                return page
            }
            token = next
            isOver = false
            return page
        }

        private func endless(_ reason: String) -> AppStoreServerError {
            AppStoreServerError(.endlessPages, reason).about(pages.endpoint, 1)
        }
    }
}

/// What is on the pages of an answer, one by one; the pages are fetched as they are needed.
public struct AppStoreItems<Page: AppStorePage>: AsyncSequence, Sendable {
    /// One item.
    public typealias Element = Page.Item
    /// What fetching a page throws.
    public typealias Failure = AppStoreServerError

    let pages: AppStorePages<Page>

    /// Starts with the first item.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }

    /// Hands out the items.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var pages: AppStorePages<Page>.AsyncIterator
        private var items: ArraySlice<Page.Item> = []

        fileprivate init(pages: AppStorePages<Page>.AsyncIterator) { self.pages = pages }

        /// The next item, or nil after the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(AppStoreServerError) -> Page.Item? {
            // A page may be empty and not the last.
            while items.isEmpty {
                guard let page = try await pages.next(isolation: actor) else { return nil }
                items = page.items[...]
            }
            return items.popFirst()
        }
    }
}

/// Notices when tokens repeat, however long the circle, and keeps two of them only: Brent's algorithm, and the last one
/// for the most likely circle of all.
struct CircleWatch {
    private var last: String?
    private var anchor: String?
    private var distance = 0
    private var limit = 1

    mutating func start(at token: String) {
        guard last == nil else { return }
        last = token
        anchor = token
    }

    mutating func closesCircle(_ token: String) -> Bool {
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
