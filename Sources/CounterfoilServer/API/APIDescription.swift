internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The server's API in OpenAPI 3.1: `openapi.yaml` beside this file, which the path of that name answers. A test holds it to
/// the routes and to their answers.
package enum APIDescription {
    static var response: Response {
        Response(
            status: .ok, headers: [.contentType: "application/yaml"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
