package import HTTPTypes
package import Hummingbird
internal import NIOCore

/// The headers of every response to a browser.
package enum ConsoleHeaders {
    /// The headers. They forbid resources of other origins, inline scripts and styles, framing and caching.
    package static let all: HTTPFields = {
        var fields = HTTPFields()
        let values = [
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                    + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
            ),
            ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cache-Control", "no-store"),
        ]
        for (name, value) in values {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }()
}

extension Response {
    /// Returns a response with a page.
    package static func page(_ html: String, status: HTTPResponse.Status = .ok) -> Response {
        var headers = ConsoleHeaders.all
        headers[.contentType] = "text/html; charset=utf-8"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    /// Returns a redirect (303) to another page.
    package static func seeOther(_ link: PageLink, cookies: [String] = []) -> Response {
        var headers = ConsoleHeaders.all
        headers[.location] = link.description
        for cookie in cookies { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return Response(status: .seeOther, headers: headers)
    }
}
