internal import AppStoreModels
package import Foundation

/// Genuine signed data beside this repository, in `../shared/fixtures`.
package enum Fixtures {
    /// The root folder of this package.
    package static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the data, whether it exists or not.
    package static let folder = package.deletingLastPathComponent().appending(path: "shared/fixtures")

    /// Whether the signed data exists.
    package static let hasSignedData = FileManager.default.fileExists(
        atPath: folder.appending(path: "jws/README.md").path)

    /// The message of a skipped suite.
    package static let absence: String = "needs the genuine data in \(folder.path), which is not there"

    /// The signed data listed in the README's table; empty if the folder is missing.
    package static let signedData: [GenuineJWS] = {
        guard let table = try? String(contentsOf: folder.appending(path: "jws/README.md"), encoding: .utf8) else {
            return []
        }
        return table.split(separator: "\n").compactMap(GenuineJWS.init(row:))
    }()

    /// Returns the text of a file of this package, such as `docs/tasks.md`.
    package static func file(_ path: String) throws -> String {
        try String(contentsOf: package.appending(path: path), encoding: .utf8)
    }

    /// The text of a file in the folder, without the final line break.
    package static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            .trimmingCharacters(in: .newlines)
    }
}

/// A row of the README's table of genuine signed data.
package struct GenuineJWS: Sendable, CustomStringConvertible {
    package let file: String
    /// `transaction`, `renewal` or `notification`.
    package let kind: String
    /// The product, or the notification's type and subtype joined by a dot.
    package let type: String
    package let bundleId: String?
    package let environment: String
    /// The signing date in the file name.
    package let signedDate: Date

    package var description: String { file }

    init?(row: Substring) {
        let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 6, cells[0].hasSuffix(".jws"), let milliseconds = Int64(cells[0].prefix { $0 != "-" }),
            let date = Date(millisecondsSince1970: milliseconds)
        else { return nil }
        signedDate = date
        (file, kind, type, environment) = (cells[0], cells[1], cells[2], cells[4])
        bundleId = cells[3] == "-" ? nil : cells[3]
    }

    /// The signed text.
    package func text() throws -> String { try Fixtures.text("jws/\(file)") }
}
