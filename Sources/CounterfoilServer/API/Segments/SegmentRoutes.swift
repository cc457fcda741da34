internal import LedgerServices
internal import Ledger
internal import Basics
internal import Entitlements
internal import Foundation
internal import HTTPTypes
internal import Hummingbird

/// Segments: lists of purchases for a team to act on.
struct SegmentRoutes {
    let storage: any SegmentStorage
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
                after: try paging.segmentPosition(), limit: paging.limit))
        let engine = apps.engine(of: appEnvironment.bundleID)
        let items = found.items.map { SegmentItem($0, segment, appEnvironment, engine, now: now) }
        switch format {
        case .json: return .list(items, next: found.next?.token) { $1.write(to: &$0) }
        case .csv: return SegmentItem.csv(items, named: segment.name, next: found.next, from: call.request)
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

/// The format of a list: JSON or CSV.
enum ListFormat {
    case json, csv

    init(_ request: Request) throws(APIFailure) {
        guard ["json", "csv"].contains(request.parameter("format") ?? "json") else {
            throw APIFailure("invalid_parameter", "`format` is json or csv.", parameter: "format")
        }
        self = Self.isCSV(request) ? .csv : .json
    }

    /// Whether a request is for CSV, by the parameter `format`, or else by the preference in the header `Accept`.
    static func isCSV(_ request: Request) -> Bool {
        if let format = request.parameter("format") { return format == "csv" }
        return prefersCSV(request.headers[values: .accept].joined(separator: ","))
    }

    /// The maximum number of items on a page. Tables are read as a whole.
    var maximumPageSize: Int {
        switch self {
        case .json: 100
        case .csv: 1000
        }
    }

    /// Whether the header gives `text/csv` a higher weight than JSON (RFC 9110, section 12.5.1).
    static func prefersCSV(_ accept: String) -> Bool {
        var weights: [String: Double] = [:]
        for range in accept.split(separator: ",").prefix(32) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let type = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            weights[type] = weight ?? 1
        }
        return weights["text/csv"] ?? 0 > weights["application/json"] ?? 0
    }
}
