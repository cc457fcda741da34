import AppStoreServer
import Foundation

/// A page of a list: the unchanged response body, with its token for the next page and whether there is one.
struct RawPage: AppStorePage {
    let data: Data
    let nextPage: String?
    let hasMore: Bool
    var items: [Data] { [data] }

    private struct Fields: Decodable {
        let hasMore: Bool?
        let revision, paginationToken: String?
    }

    init(_ data: Data) throws(AppStoreServerError) {
        self.data = data
        do {
            let fields = try JSONDecoder().decode(Fields.self, from: data)
            hasMore = fields.hasMore ?? false
            nextPage = fields.revision ?? fields.paginationToken
        } catch {
            throw AppStoreServerError.undecodable(error)
        }
    }

    /// Returns the JSON on one line. JSON strings cannot contain CR and LF, so these are only white space. They can
    /// contain the line breaks of Unicode, which stay.
    static func line(_ data: Data) -> String {
        let lines = data.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        return String(decoding: Array(lines.joined(separator: " ".utf8)), as: UTF8.self)
    }
}
