import Foundation
import TestSupport
import Testing

@Suite struct `The documentation` {
    /// Returns the text of every page by its path in the package.
    private static func pages() throws -> [String: String] {
        let folder = Fixtures.package.appending(path: "docs")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        var pages: [String: String] = [:]
        for path in names.map({ "docs/" + $0 }) + ["README.md", "CONTRIBUTING.md"] {
            pages[path] = try Fixtures.file(path)
        }
        return pages
    }

    /// Returns the anchors of a page's headings as GitHub makes them: lower case, without punctuation, with "-" for
    /// spaces.
    private static func anchors(_ page: String) -> Set<String> {
        var isCode = false
        var anchors: Set<String> = []
        for line in page.split(separator: "\n") {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, line.hasPrefix("#") else { continue }
            let title = line.drop { $0 == "#" }.dropFirst().lowercased()
            anchors.insert(
                String(title.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }).replacing(" ", with: "-"))
        }
        return anchors
    }

    private static func links(_ page: String) -> [String] {
        page.matches(of: /\]\(([^)\s]+)\)/).map { String($0.output.1) }
    }

    @Test func `No documentation page has a dead link`() throws {
        let pages = try Self.pages()
        var dead: [String] = []
        var count = 0
        for (path, page) in pages {
            for link in Self.links(page) where !link.contains("://") && !link.hasPrefix("mailto:") {
                count += 1
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let folder = path.split(separator: "/").dropLast().joined(separator: "/")
                let target = parts[0].isEmpty ? path : folder.isEmpty ? String(parts[0]) : folder + "/" + parts[0]
                let file = Fixtures.package.appending(path: target).standardized
                if !FileManager.default.fileExists(atPath: file.path) { dead.append("\(path): \(link)") }
                guard parts.count == 2 else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                if !Self.anchors(text).contains(String(parts[1])) { dead.append("\(path): \(link)") }
            }
        }
        #expect(dead.isEmpty, "\(dead.sorted().joined(separator: "\n"))")
        #expect(count > 80)
    }

    @Test func `Every row of Apple's advice in the checklist has a link`() throws {
        let page = try #require(try Self.pages()["docs/checklist.md"])
        let rows = page.split(separator: "\n")
            .filter { $0.hasPrefix("|") && !$0.hasPrefix("|---") && $0 != "| Apple's advice | here |" }
        #expect(rows.count > 25)
        for row in rows { #expect(!Self.links(String(row)).isEmpty, "\(row)") }
    }
}
