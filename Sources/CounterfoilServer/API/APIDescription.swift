internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The API description in OpenAPI 3.1: `openapi.yaml` beside this file, served at that path. A test compares it with
/// the routes and their responses.
package enum APIDescription {
    /// All responses share this buffer. A client without a key can cause hundreds of responses before it reads one: with
    /// a copy for each, a few connections would fill the memory.
    private static let body = ByteBuffer(string: text)

    static var response: Response {
        Response(status: .ok, headers: [.contentType: "application/yaml"], body: ResponseBody(byteBuffer: body))
    }
}
