internal import Foundation

/// Compares the Swift code in a library's documentation articles with a test file that compiles it.
package enum Articles {
    /// Returns the lines of code in a library's articles that the file `test` does not contain, ignoring white space.
    /// A placeholder for the reader's own code is written `…`. Comments, imports and package manifests are ignored.
    package static func uncompiled(of library: String, in test: String) throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = root.appending(path: "Sources/\(library)/\(library).docc")
        let source = squeezed(try String(contentsOf: URL(filePath: test), encoding: .utf8))
        var missing: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where name.hasSuffix(".md") {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            for line in code(in: text) {
                let parts = line.components(separatedBy: "…").map(squeezed)
                if !parts.allSatisfy({ $0.isEmpty || source.contains($0) }) { missing.append("\(name): \(line)") }
            }
        }
        return missing
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
