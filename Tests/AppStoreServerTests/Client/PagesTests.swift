import AppStoreModels
import Foundation
import Testing

@testable import AppStoreServer

@Suite("Pages")
struct PagesTests {
    static func history(_ items: [String], _ revision: String, _ hasMore: Bool) -> Stub {
        let list = items.map { "\"\($0)\"" }.joined(separator: ",")
        return .ok(
            #"{"revision":"\#(revision)","hasMore":\#(hasMore),"bundleId":"b","environment":"Sandbox","signedTransactions":[\#(list)]}"#
        )
    }

    @Test func `Pages keep the other parameters, and the last revision is available`() async throws {
        let bench = try Bench(
            Self.history(["1", "2"], "r 1", true), Self.history([], "r2", true), Self.history(["3"], "r3", false))
        let request = TransactionHistoryRequest(productIds: ["p", "q"], sort: .ascending, revoked: true)
        var (items, last): ([String], String?) = ([], nil)
        for try await page in bench.client.transactionHistory(of: "1", request) {
            items += page.signedTransactions
            last = page.nextPage
        }
        #expect(items == ["1", "2", "3"])
        #expect(last == "r3")
        let base =
            "https://api.storekit.apple.com/inApps/v2/history/1?productId=p&productId=q&sort=ASCENDING&revoked=true"
        #expect(bench.transport.requests.map(\.url) == [base, base + "&revision=r%201", base + "&revision=r2"])
    }

    @Test func `A history continues after a stored revision, even if nothing is new`() async throws {
        let bench = try Bench(Self.history([], "stored", false))
        var pages: [HistoryResponse] = []
        for try await page in bench.client.transactionHistory(of: "1", after: "stored") { pages.append(page) }
        #expect(pages.map(\.revision) == ["stored"])
        #expect(bench.transport.requests[0].url.hasSuffix("?revision=stored"))
    }

    @Test func `Pages of a POST request keep the body`() async throws {
        let page = { (token: String, hasMore: Bool) in
            Stub.ok(#"{"paginationToken":\#(token),"hasMore":\#(hasMore),"notificationHistory":[]}"#)
        }
        let bench = try Bench(page("\"t1\"", true), page("\"t2\"", true), page("null", false))
        let request = NotificationHistoryRequest(
            startDate: Date(timeIntervalSince1970: 1), endDate: Date(timeIntervalSince1970: 2), transactionId: "7")
        for try await _ in bench.client.notificationHistory(request) {}
        let requests = bench.transport.requests
        #expect(
            requests.map { $0.url.split(separator: "?").dropFirst().joined() } == [
                "", "paginationToken=t1", "paginationToken=t2",
            ])
        #expect(Set(requests.map(\.body)).count == 1)
        #expect(requests[0].body == Data(#"{"endDate":2000,"startDate":1000,"transactionId":"7"}"#.utf8))
    }

    @Test func `Pages of group members keep the limit`() async throws {
        let bench = try Bench(
            .ok(#"{"members":[{"appTransactionId":"1"}],"paginationToken":"t","hasMore":true}"#),
            .ok(#"{"members":[{"appTransactionId":"2"}],"hasMore":false}"#))
        var members: [String] = []
        for try await member in bench.client.groupMembers(of: "g", limit: 1).items {
            members.append(member.appTransactionId)
        }
        #expect(members == ["1", "2"])
        #expect(
            bench.transport.requests.map { $0.url.split(separator: "?").last } == [
                "limit=1", "paginationToken=t&limit=1",
            ])
    }

    @Test func `Pages are fetched only when needed`() async throws {
        let bench = try Bench(Self.history(["1", "2"], "r", true), Self.history(["3"], "s", false))
        for try await item in bench.client.transactionHistory(of: "1").items where item == "2" { break }
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: [1, 2, 3, 7, 50])
    func `Pages that repeat in a cycle of any length end with an error`(_ length: Int) async throws {
        var script: [StubTransport.Reply] = [Self.history(["x"], "first", true).reply]
        for _ in 0..<20 {
            for index in 0..<length { script.append(Self.history(["x"], "r\(index)", true).reply) }
        }
        let bench = try Bench(StubTransport(script))
        var count = 0
        let error = await failure { () async throws(AppStoreServerError) in
            for try await _ in bench.client.transactionHistory(of: "1") { count += 1 }
        }
        #expect(error?.code == .invalidPagination)
        #expect(error?.endpoint == "transaction-history")
        #expect(count <= 4 * length + 4)
    }

    @Test(arguments: ["stored"])
    func `A page whose token leads back to itself ends with an error after its items`(_ token: String) async throws {
        let bench = try Bench(Self.history(["x"], token, true))
        var items: [String] = []
        let error = await failure { () async throws(AppStoreServerError) in
            for try await item in bench.client.transactionHistory(of: "1", after: token).items { items.append(item) }
        }
        #expect(error?.code == .invalidPagination)
        // The items of the page come before the error.
        #expect(items == ["x"])
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: ["null", "\"\""])
    func `A page that announces more without a token ends with an error`(_ token: String) async throws {
        let bench = try Bench(.ok(#"{"paginationToken":\#(token),"hasMore":true,"notificationHistory":[]}"#))
        let request = NotificationHistoryRequest(startDate: Date(), endDate: Date())
        let error = await failure { () async throws(AppStoreServerError) in
            for try await _ in bench.client.notificationHistory(request) {}
        }
        #expect(error?.code == .invalidPagination)
    }

    @Test func `A sequence of pages ends after an error`() async throws {
        let bench = try Bench(Self.history(["1"], "r", true), .apiError(4_000_005), Self.history(["2"], "s", false))
        var pages = bench.client.transactionHistory(of: "1").makeAsyncIterator()
        #expect(try await pages.next()?.revision == "r")
        await #expect(throws: AppStoreServerError.self) { try await pages.next() }
        #expect(try await pages.next() == nil)
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `A cancelled task fetches no further pages`() async throws {
        let bench = try Bench(Self.history(["1"], "r", true), Self.history(["2"], "s", true))
        let client = bench.client
        let task = Task {
            await failure { () async throws(AppStoreServerError) in
                for try await _ in client.transactionHistory(of: "1") { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        #expect(await task.value?.code == .cancelled)
        #expect(bench.transport.requests.count == 1)
    }
}
