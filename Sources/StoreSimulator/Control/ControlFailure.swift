internal import Basics

/// An error response of the control API:
/// `{"object":"error","code":…,"message":…,"retryable":false,"param":…}`.
package struct ControlFailure: Error {
    let status: Int
    let code: String
    let message: String
    var param: String?

    init(_ status: Int, _ code: String, _ message: String, param: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.param = param
    }

    /// Converts an error of the simulator.
    init(_ error: any Error) {
        switch error {
        case let failure as ControlFailure: self = failure
        case let error as StoreError:
            let isMissing = error.code.rawValue.hasPrefix("unknown_")
            let isArgument = error.code == .invalidArgument
            self.init(isMissing ? 404 : isArgument ? 400 : 409, error.code.rawValue, error.message)
        case let error as SimulatorError:
            self.init(error.code.rawValue.hasPrefix("unknown_") ? 404 : 400, error.code.rawValue, error.message)
        case let error as DecodingError: self.init(error)
        default: self.init(500, "internal", "the simulator failed; this is a bug of the simulator")
        }
    }

    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            let path = Self.path(context.codingPath + [key])
            self.init(400, "invalid_request", "\(path) is missing", param: path)
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let expected = DecodingError.words(for: type)
            self.init(context, expected.map { "\($0) is expected" } ?? "unexpected value")
        case .dataCorrupted(let context): self.init(context, context.debugDescription)
        @unknown default: self.init(400, "invalid_request", "the body cannot be read")
        }
    }

    private init(_ context: DecodingError.Context, _ words: String) {
        let path = Self.path(context.codingPath)
        let what = path.isEmpty ? "the body" : path
        self.init(400, "invalid_request", "\(what): \(words)", param: path.isEmpty ? nil : path)
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }.joined(separator: ".")
    }

    var response: SimulatorResponse {
        var json = JSONWriter()
        json.object { json in
            json.member("code", code)
            json.member("message", message)
            json.member("object", "error")
            json.member("param", param)
            json.member("retryable", status >= 500)
        }
        return .json(json.bytes, status: status)
    }
}
