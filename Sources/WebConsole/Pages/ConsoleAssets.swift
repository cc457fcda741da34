internal import Basics
internal import Crypto
internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import NIOCore

/// The texts of the files in the folders Templates and Assets, which the build embeds.
package enum WebConsoleFiles {}

/// The style sheet, the script and the icon. Their paths contain a hash of the contents, so that browsers cache them
/// for good.
package struct ConsoleAssets: Sendable {
    package let style: PageLink
    package let script: PageLink
    package let icon: PageLink
    /// All responses with a file share its buffer, because any client can request many at once.
    private let files: [String: (type: String, body: ByteBuffer)]

    /// - Parameter folder: The segments of the path of their folder.
    package init(folder: [String]) {
        var files: [String: (type: String, body: ByteBuffer)] = [:]
        func add(_ text: String, _ ending: String, _ type: String) -> PageLink {
            let hash = SHA256.hash(data: Data(text.utf8)).prefix(16).hexadecimal
            files["\(hash).\(ending)"] = (type, ByteBuffer(string: text))
            return PageLink(folder + ["\(hash).\(ending)"])
        }
        style = add(WebConsoleFiles.style, "css", "text/css; charset=utf-8")
        script = add(WebConsoleFiles.script, "js", "text/javascript; charset=utf-8")
        icon = add(WebConsoleFiles.icon, "svg", "image/svg+xml")
        self.files = files
    }

    /// Returns the file with this name, or 404.
    package func response(_ name: String) -> Response {
        var headers = ConsoleHeaders.all
        guard let file = files[name] else { return Response(status: .notFound, headers: headers) }
        headers[.contentType] = file.type
        headers[.cacheControl] = "public, max-age=31536000, immutable"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.body))
    }
}
