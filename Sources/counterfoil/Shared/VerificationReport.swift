import AppStoreServer
import AppStoreTrust
internal import Basics
import Foundation

/// What `counterfoil verify` prints.
enum VerificationReport {
    typealias Inner = [(field: String, outcome: InnerData.Outcome)]

    /// One object; the payload is the signed JSON itself.
    static func json(_ verified: Verified<AnySignedPayload>, inner: Inner) -> String {
        var members = [
            "\"valid\":true", "\"kind\":\(JSONText.encode(verified.payload.kind))",
            "\"payload\":\(signedJSON(verified.text))", "\"trace\":\(JSONText.encode(TraceReport(verified.trace)))",
        ]
        if !inner.isEmpty {
            let fields = inner.map { field, outcome in
                let text =
                    switch outcome {
                    case .success(let verified): json(verified, inner: [])
                    case .failure(let error): json(error)
                    }
                return "\(JSONText.encode(field)):\(text)"
            }
            members.append("\"inner\":{\(fields.joined(separator: ","))}")
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// The object for what was refused.
    static func json(_ error: VerificationError) -> String {
        let (code, message) = (JSONText.encode(error.code.description), JSONText.encode(error.message))
        return "{\"object\":\"error\",\"valid\":false,\"code\":\(code),\"message\":\(message)}"
    }

    /// The same for a person.
    static func lines(_ verified: Verified<AnySignedPayload>, inner: Inner, _ style: Style) -> [String] {
        var lines = ["\(style.good("valid")) \(verified.payload.kind), signed under \(verified.trace.anchor.printable)"]
        lines += ["", style.strong("trace")] + TraceReport.lines(verified.trace, style)
        lines += ["", style.strong("payload")] + fields(of: verified.text)
        for (field, outcome) in inner {
            switch outcome {
            case .success(let verified):
                lines += ["", "\(style.strong(field)) \(style.good("valid")) \(verified.payload.kind)"]
                lines += fields(of: verified.text)
            case .failure(let error):
                lines += [
                    "", "\(style.strong(field)) \(style.bad("refused")) \(error.code): \(error.message.printable)",
                ]
            }
        }
        return lines
    }

    /// The payload's JSON, as signed; the output escapes what a terminal could act on. The text was verified, so its middle segment is JSON.
    private static func signedJSON(_ text: String) -> String {
        let segments = text.split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3, let bytes = Base64.decodeURL(segments[1]) else { return "null" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func fields(of text: String) -> [String] {
        // The verifier has read it already; anything else than an object prints nothing.
        guard let value = try? JSONSerialization.jsonObject(with: Data(signedJSON(text).utf8)),
            let object = value as? [String: Any]
        else { return [] }
        return FieldList.lines(object)
    }
}

/// A JSON object as aligned lines, dates readable, signed data inside abbreviated.
enum FieldList {
    private static let maximumDepth = 8

    static func lines(_ object: [String: Any], indent: String = "  ", depth: Int = 0) -> [String] {
        let width = min(32, object.keys.map(\.count).max() ?? 0)
        return object.sorted { $0.key < $1.key }.flatMap { key, value -> [String] in
            let name = indent + key.printable.padded(to: width)
            switch value {
            case let inner as [String: Any] where depth < maximumDepth:
                return [indent + key.printable] + lines(inner, indent: indent + "  ", depth: depth + 1)
            case let list as [Any] where depth < maximumDepth && list.contains(where: { $0 is [String: Any] }):
                return [indent + key.printable]
                    + list.flatMap { element -> [String] in
                        guard let inner = element as? [String: Any] else {
                            return [indent + "  - \(element)".printable]
                        }
                        return [indent + "  -"] + lines(inner, indent: indent + "    ", depth: depth + 1)
                    }
            default:
                return ["\(name)  \(describe(value, key: key))"]
            }
        }
    }

    private static func describe(_ value: Any, key: String) -> String {
        switch value {
        case let number as NSNumber where key.hasSuffix("Date"):
            return "\(Date(timeIntervalSince1970: number.doubleValue / 1000).readable) (\(number))"
        case let text as String where text.count > 200:
            return "\(text.prefix(24).description.printable)… (\(text.utf8.count) bytes)"
        default:
            return "\(value)".printable
        }
    }
}
