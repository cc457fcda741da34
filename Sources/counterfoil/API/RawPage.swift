import AppStoreServer
import Foundation

/// A page of an answer as it came, with the two fields that lead on.
struct RawPage: AppStorePage {
    let data: Data
    let nextPage: String?
    let hasMore: Bool
    var items: [Data] { [data] }

    private struct Fields: Decodable {
        let hasMore: Bool?
        let revision: String?
        let paginationToken: String?
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

    /// The answer on one line. JSON strings hold no line breaks, so those there are only part of the layout.
    static func line(_ data: Data) -> String {
        String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

/// A line on the terminal that says how far it has come; nothing elsewhere.
struct Progress {
    private let name: String
    private var pages = 0
    private let isShown = isatty(FileHandle.standardError.fileDescriptor) == 1

    init(name: String) { self.name = name }

    mutating func count() {
        pages += 1
        write("\(name): \(pages) pages")
    }

    func clear() { write("") }

    private func write(_ text: String) {
        guard isShown else { return }
        // Losing this line loses nothing.
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }
}
