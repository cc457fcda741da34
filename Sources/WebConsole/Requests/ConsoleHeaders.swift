package import HTTPTypes
package import Hummingbird
internal import NIOCore

/// The headers of every answer that a browser shows.
package enum ConsoleHeaders {
    /// Nothing comes from elsewhere, nothing runs inline, nobody frames it, nothing is kept.
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
    /// A page.
    package static func page(_ html: String, status: HTTPResponse.Status = .ok) -> Response {
        var headers = ConsoleHeaders.all
        headers[.contentType] = "text/html; charset=utf-8"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    /// Sends the browser to another page, with GET.
    package static func seeOther(_ link: PageLink, cookies: [String] = []) -> Response {
        var headers = ConsoleHeaders.all
        headers[.location] = link.description
        for cookie in cookies { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return Response(status: .seeOther, headers: headers)
    }
}
