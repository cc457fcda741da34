internal import AppStoreModels
internal import Basics
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import NIOCore

extension Response {
    /// Returns a JSON response with the body that `write` writes.
    static func json(status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) -> Void) -> Response {
        var json = JSONWriter()
        write(&json)
        return json.response(status: status)
    }

    /// Returns a response with one object of a kind.
    static func object(
        _ kind: String, status: HTTPResponse.Status = .ok, _ members: (inout JSONWriter) -> Void
    ) -> Response {
        json(status: status) { $0.object(kind, members) }
    }

    /// Returns a page of a list.
    static func list<Item>(
        _ items: some Sequence<Item>, next: String?, _ element: (inout JSONWriter, Item) -> Void
    ) -> Response {
        object("list") { json in
            json.member("items", items, element)
            json.key("next_page")
            if let next { json.string(next) } else { json.null() }
        }
    }
}

extension CSVWriter {
    /// Returns a response with the table as a file. The header `Link` has the URL of the next page.
    func response(named name: String, next: String?) -> Response {
        var headers: HTTPFields = [
            .contentType: "text/csv; charset=utf-8; header=present",
            .contentDisposition: "attachment; filename=\"\(name).csv\"", .xContentTypeOptions: "nosniff",
        ]
        if let next, let field = HTTPField.Name("link") { headers[field] = "<\(next)>; rel=\"next\"" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension JSONWriter {
    /// Writes an object whose member `object` names its kind, as in all responses of the API.
    mutating func object(_ kind: String, _ members: (inout JSONWriter) -> Void) {
        object { json in
            json.member("object", kind)
            members(&json)
        }
    }

    /// Writes the app and the environment.
    mutating func members(of appEnvironment: AppEnvironment?) {
        member("app", appEnvironment?.bundleID)
        member("environment", appEnvironment?.environment.rawValue)
    }

    /// Returns a response with this body.
    func response(status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: written)))
    }
}
