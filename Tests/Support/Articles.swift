internal import Foundation

/// Compares the Swift code in documentation pages with a test file that compiles it.
package enum Articles {
    /// Returns the lines of code in a library's articles that the file `test` does not contain, ignoring white space.
    /// A placeholder for the reader's own code is written `…`. Comments, imports and package manifests are ignored.
    package static func uncompiled(of library: String, in test: String) throws -> [String] {
        let folder = "Sources/\(library)/\(library).docc"
        let names = try FileManager.default.contentsOfDirectory(atPath: Fixtures.package.appending(path: folder).path)
        return try names.sorted().filter { $0.hasSuffix(".md") }
            .flatMap { try uncompiled(ofPage: "\(folder)/\($0)", in: test) }
    }

    /// Returns the same lines of one page, such as `README.md`.
    package static func uncompiled(ofPage page: String, in test: String) throws -> [String] {
        let source = squeezed(try String(contentsOf: URL(filePath: test), encoding: .utf8))
        let text = try Fixtures.file(page)
        return code(in: text)
            .filter { line in
                let parts = line.components(separatedBy: "…").map(squeezed)
                return !parts.allSatisfy { $0.isEmpty || source.contains($0) }
            }
            .map { "\(page): \($0)" }
    }

    private static func code(in article: String) -> [String] {
        var (lines, isCode) = ([String](), false)
        for line in article.components(separatedBy: "\n") {
            if line.hasPrefix("```") {
                isCode = line == "```swift"
            } else if isCode {
                let code = line.components(separatedBy: "// ")[0].trimmingCharacters(in: .whitespaces)
                if !code.isEmpty, !code.hasPrefix("."), !code.hasPrefix("import ") { lines.append(code) }
            }
        }
        return lines
    }

    private static func squeezed(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}
