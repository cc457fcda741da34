internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The API description in OpenAPI 3.1: `openapi.yaml` beside this file, served at that path. A test compares it with
/// the routes and their responses.
package enum APIDescription {
    static var response: Response {
        Response(
            status: .ok, headers: [.contentType: "application/yaml"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
