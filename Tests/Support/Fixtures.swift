internal import AppStoreModels
package import Foundation

/// The genuine data beside this repository, in `../shared/fixtures`.
package enum Fixtures {
    /// The root of this package.
    package static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder, there or not.
    package static let folder = package.deletingLastPathComponent().appending(path: "shared/fixtures")

    /// Whether the signed data is there.
    package static let hasSignedData = FileManager.default.fileExists(
        atPath: folder.appending(path: "jws/README.md").path)

    /// What a suite says when it is skipped.
    package static let absence: String = "needs the genuine data in \(folder.path), which is not there"

    /// The signed data that the README's table lists; empty where the folder is missing.
    package static let signedData: [GenuineJWS] = {
        guard let table = try? String(contentsOf: folder.appending(path: "jws/README.md"), encoding: .utf8) else {
            return []
        }
        return table.split(separator: "\n").compactMap(GenuineJWS.init(row:))
    }()

    /// The text of a file in the folder, without the line break at its end.
    package static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            .trimmingCharacters(in: .newlines)
    }
}

/// A row of the table of genuine signed data.
package struct GenuineJWS: Sendable, CustomStringConvertible {
    package let file: String
    /// `transaction`, `renewal` or `notification`.
    package let kind: String
    /// The product, or a notification's type and subtype joined by a dot.
    package let type: String
    package let bundleId: String?
    package let environment: String
    /// When it was signed, as its name says.
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

    /// The text as it was signed.
    package func text() throws -> String { try Fixtures.text("jws/\(file)") }
}
