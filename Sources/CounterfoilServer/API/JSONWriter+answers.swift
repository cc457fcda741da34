internal import Ledger
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension JSONWriter {
    /// An answer with this body.
    func response(status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: written)))
    }
}
