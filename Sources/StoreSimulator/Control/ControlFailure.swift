internal import Basics
internal import ConfigurationReading

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

    /// A refusal of the request's contents.
    init(invalid message: String, param: String? = nil) { self.init(400, "invalid_request", message, param: param) }

    /// Converts an error of the simulator.
    init(_ error: any Error) {
        switch error {
        case let failure as ControlFailure: self = failure
        case let error as StoreError:
            let isMissing = error.code.rawValue.hasPrefix("unknown_")
            let isArgument = error.code == .invalidArgument
            self.init(isMissing ? 404 : isArgument ? 400 : 409, error.code.rawValue, error.message)
        case let error as SimulatorError:
            let isMissing = error.code.rawValue.hasPrefix("unknown_")
            // The request is correct: the folder or a library is at fault.
            let isOwn = [.failed, .unwritableDirectory].contains(error.code)
            self.init(isMissing ? 404 : isOwn ? 500 : 400, error.code.rawValue, error.message)
        case let error as DecodingError: self.init(error, in: nil)
        case is CancellationError: self.init(503, "stopping", "the simulator is stopping")
        default: self.init(500, "internal", "the simulator failed; this is a bug of the simulator")
        }
    }

    /// Converts a decoding error. `body` is the JSON that could not be decoded, for the value in the message.
    init(_ error: DecodingError, in body: JSONValue?) {
        switch error {
        case .keyNotFound(let key, let context):
            let path = Self.path(context.codingPath + [key])
            self.init(invalid: "\(path) is missing", param: path)
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let expected = DecodingError.words(for: type)
            self.init(context, expected.map { "\($0) is expected" } ?? "unexpected value")
        case .dataCorrupted(let context):
            let value = body?.scalar(at: context.codingPath).map { $0 + " " } ?? ""
            self.init(context, value + context.debugDescription)
        @unknown default: self.init(invalid: "the body cannot be read")
        }
    }

    private init(_ context: DecodingError.Context, _ words: String) {
        let path = Self.path(context.codingPath)
        let what = path.isEmpty ? "the body" : path
        self.init(invalid: "\(what): \(words)", param: path.isEmpty ? nil : path)
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

extension JSONValue {
    /// Returns the value at a path for a message, a long text shortened; nil if it is missing, an object or an array.
    fileprivate func scalar(at path: [any CodingKey]) -> String? {
        let value = path.reduce(Optional(self)) { value, key -> JSONValue? in
            switch value {
            case .object(let members): members[key.stringValue]
            case .array(let items): key.intValue.flatMap { items.indices.contains($0) ? items[$0] : nil }
            default: nil
            }
        }
        return switch value {
        case .bool, .integer, .number: value?.shown
        case .string(let text): quoted(text)
        case nil, .null, .object, .array: nil
        }
    }
}
