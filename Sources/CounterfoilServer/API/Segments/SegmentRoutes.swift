internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Segments: lists of purchases for a team to act on.
struct SegmentRoutes {
    let storage: any SegmentStorage
    let customers: CustomerReader
    let apps: Apps
    let clock: ServerClock

    /// How many members are counted at most.
    private static let maximumCount = 10_000

    func add(to v1: APIRouter) {
        v1.get("/segments", needs: .supportRead, list)
        v1.get("/segments/{name}", needs: .supportRead, members)
    }

    /// Lists the segments, and the number of members of each.
    private func list(_ call: APICall) async throws -> Response {
        let appEnvironment = try call.appEnvironment()
        let now = clock.now().milliseconds
        var counts: [(segment: Segment, count: Int)] = []
        for segment in Segment.allCases {
            let count = try await storage.count(
                of: segment, in: appEnvironment.id, at: now, limit: Self.maximumCount)
            counts.append((segment, count))
        }
        return .list(counts, next: nil) { json, item in
            json.object("segment") { json in
                json.member("name", item.segment.name)
                json.members(of: appEnvironment)
                json.member("as_of", now)
                json.member("count", item.count)
                json.member("has_more", item.count == Self.maximumCount)
            }
        }
    }

    /// Lists the members of a segment, as JSON or as a table for a spreadsheet.
    private func members(_ call: APICall) async throws -> Response {
        let appEnvironment = try call.appEnvironment()
        guard let name = call.pathParameter("name"), let segment = Segment(name: name) else {
            let names = Segment.allCases.map(\.name).joined(separator: ", ")
            throw APIFailure.notFound("The segments are \(names).", parameter: "name")
        }
        let format = try ListFormat(call.request)
        let paging = try Paging(call.request, largest: format.maximumPageSize)
        let now = clock.now()
        let found = try await storage.members(
            SegmentQuery(
                segment, in: appEnvironment.id, at: now.milliseconds, within: try within(call.request),
                reason: try reason(call.request),
                after: try paging.segmentPosition(in: name), limit: paging.limit))
        let members =
            try await segment == .winBackEligible ? withoutAccess(found.items, in: appEnvironment) : found.items
        let engine = apps.engine(of: appEnvironment.bundleID)
        let items = members.map { SegmentItem($0, segment, appEnvironment, engine, now: now) }
        switch format {
        case .json: return .list(items, next: found.next?.token(in: name)) { $1.write(to: &$0) }
        case .csv: return SegmentItem.csv(items, named: segment.name, next: found.next, from: call.request)
        }
    }

    /// Returns the members without an owner who has access by another subscription of the group, or owes a payment for
    /// it. The segment's index cannot show that: it derives from each purchase alone.
    private func withoutAccess(
        _ members: [SegmentMember], in appEnvironment: AppEnvironment
    ) async throws -> [SegmentMember] {
        var remaining: [SegmentMember] = []
        for member in members {
            var isOffered = true
            for owner in member.owners where isOffered {
                isOffered = try await isWinBack(member.lineage.originalTransactionID, of: owner, in: appEnvironment)
            }
            if isOffered { remaining.append(member) }
        }
        return remaining
    }

    /// Whether the response about the customer names the win-back offer too.
    private func isWinBack(
        _ original: String, of customer: String, in appEnvironment: AppEnvironment
    ) async throws -> Bool {
        do {
            let states = try await customers.customer(customer, in: appEnvironment, at: nil).states
            let subscription = states.subscriptions.first { $0.originalTransactionID.isExactly(original) }
            return subscription?.nextStep ?? .winBackOffer == .winBackOffer
        } catch let error as StorageError where error.code == .damaged {
            // Another purchase of the customer is corrupt, which must not hide this one.
            return true
        }
    }

    private func reason(_ request: Request) throws(APIFailure) -> StateDetail? {
        guard let text = try request.shortText("reason") else { return nil }
        guard let reason = SegmentEntry.reasons.first(where: { $0.rawValue == text }) else {
            throw APIFailure(
                "invalid_parameter", text, of: "reason", isNoneOf: SegmentEntry.reasons.map(\.rawValue))
        }
        return reason
    }

    private func within(_ request: Request) throws(APIFailure) -> Milliseconds? {
        guard let text = request.parameter("within_days") else { return nil }
        guard let days = Int64(text), (1...3660).contains(days) else {
            throw APIFailure("invalid_parameter", "`within_days` is 1 to 3660.", parameter: "within_days")
        }
        return days * SegmentItem.day
    }
}
