internal import HTTPTypes
internal import Hummingbird

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
    var maximumPageSize: Int { self == .csv ? 1000 : 100 }

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
