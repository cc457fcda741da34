internal import Basics

/// A shell command that verifies a webhook by Standard Webhooks 1.0. It needs only Python.
struct VerificationSnippet {
    let text: String

    /// Creates the command from the headers of a webhook; nil if the headers have no signature.
    init?(_ headers: [(String, String)]) {
        let headers = Dictionary(headers) { first, _ in first }
        guard let id = Self.literal(headers["webhook-id"]), let timestamp = Self.literal(headers["webhook-timestamp"]),
            let signatures = Self.literal(headers["webhook-signature"])
        else { return nil }
        text = """
            # The body, exactly as above, is in body.json; SECRET is the endpoint's secret, whsec_ and base64.
            python3 - <<'END'
            import base64, hashlib, hmac, os
            key = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))
            body = open("body.json", "rb").read().rstrip(b"\\n")
            signed = ".".join([\(id), \(timestamp), ""]).encode() + body
            signature = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
            print("valid" if signature in \(signatures).split() else "not valid")
            END
            """
    }

    /// Returns a text as a Python literal. A JSON string is a valid Python literal without line breaks.
    private static func literal(_ text: String?) -> String? {
        guard let text else { return nil }
        var json = JSONWriter()
        json.string(text)
        return String(decoding: json.written, as: UTF8.self)
    }
}
