package import Foundation
internal import HTTPTypes
package import Hummingbird

extension FormFields {
    /// The maximum number of parts of a form.
    private static let maximumParts = 50
    /// The maximum size of a part's header in bytes (RFC 7578 needs three short lines).
    private static let maximumHead = 2048

    /// Reads the body of a form sent as `multipart/form-data` or as `application/x-www-form-urlencoded`.
    package init(uploaded request: Request, upTo limit: Int) async throws {
        guard request.headers.mediaType == "multipart/form-data" else {
            try await self.init(request, upTo: limit)
            return
        }
        guard let boundary = Self.parameter("boundary", of: request.headers[.contentType] ?? ""),
            (1...70).contains(boundary.utf8.count)
        else { throw Problem.malformed }
        try self.init(multipart: try await Self.body(of: request, upTo: limit), boundary: boundary)
    }

    /// Reads the parts between boundaries (RFC 2046, section 5.1.1). A part with a file name is a file.
    package init(multipart body: Data, boundary: String) throws(Problem) {
        self.init()
        let delimiter = Data("\r\n--\(boundary)".utf8)
        // The first boundary is at the beginning of the body, the others at the beginning of a line.
        let body = Data("\r\n".utf8) + body
        guard var mark = body.range(of: delimiter) else { throw .malformed }
        for _ in 0..<Self.maximumParts {
            if body[mark.upperBound...].starts(with: "--".utf8) { return }
            guard let end = body.range(of: delimiter, in: mark.upperBound..<body.endIndex) else { throw .malformed }
            try take(body[mark.upperBound..<end.lowerBound])
            mark = end
        }
        throw .malformed
    }

    /// Adds the part between two boundaries: header lines, an empty line, the content.
    private mutating func take(_ part: Data) throws(Problem) {
        guard part.starts(with: "\r\n".utf8), let gap = part.range(of: Data("\r\n\r\n".utf8)),
            gap.lowerBound - part.startIndex <= Self.maximumHead,
            let head = String(validating: part[part.startIndex..<gap.lowerBound], as: UTF8.self)
        else { throw .malformed }
        let lines = head.split(separator: "\r\n")
        guard let disposition = lines.first(where: { $0.lowercased().hasPrefix("content-disposition:") }),
            let name = Self.parameter("name", of: disposition)
        else { throw .malformed }
        let content = Data(part[gap.upperBound...])
        guard Self.parameter("filename", of: disposition) == nil else {
            // Without a chosen file, browsers send an empty one.
            if !content.isEmpty { add(file: content, name) }
            return
        }
        guard let text = String(validating: content, as: UTF8.self) else { throw .malformed }
        // Browsers end the lines of a text field with CRLF.
        set(name, text.replacing("\r\n", with: "\n"))
    }

    /// Returns a parameter of a header, quoted or not; nil if it is missing.
    private static func parameter(_ name: String, of header: some StringProtocol) -> String? {
        for part in header.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmingCharacters(in: .whitespaces).lowercased() == name else { continue }
            let value = pair[1].trimmingCharacters(in: .whitespaces)
            return value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
                ? String(value.dropFirst().dropLast()) : value
        }
        return nil
    }
}
