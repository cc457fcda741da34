internal import Basics
internal import Foundation

/// A shell command that verifies a webhook with nothing but Python, by Standard Webhooks 1.0.
struct VerificationSnippet {
    let text: String

    /// Makes one of the headers of a webhook; nil if they have no signature.
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

    /// A text as Python reads it: JSON's spelling is one of Python's, and has no line of its own.
    private static func literal(_ text: String?) -> String? {
        guard let text else { return nil }
        var json = JSONWriter()
        json.string(text)
        return String(decoding: json.written, as: UTF8.self)
    }
}
