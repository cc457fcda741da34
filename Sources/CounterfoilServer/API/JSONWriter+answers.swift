internal import Ledger
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension JSONWriter {
    /// An instant, in milliseconds.
    mutating func member(_ name: StaticString, _ value: Date) { member(name, value.milliseconds) }

    /// An instant that is left out when there is none.
    mutating func member(_ name: StaticString, _ value: Date?) { if let value { member(name, value) } }

    /// An answer with this body.
    func response(status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: written)))
    }
}
