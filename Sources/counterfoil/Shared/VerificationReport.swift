import AppStoreServer
import AppStoreTrust
internal import Basics
import Foundation

/// The output of `counterfoil verify`.
enum VerificationReport {
    /// The signed texts inside a notification, each with its verification.
    typealias Inner = [(field: String, outcome: Result<Verified<AnySignedPayload>, VerificationError>)]

    /// Returns one JSON object. Its `payload` is the signed JSON, unchanged.
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

    /// Returns the JSON object for refused data.
    static func json(_ error: VerificationError) -> String {
        let (code, message) = (JSONText.encode(error.code.description), JSONText.encode(error.message))
        return "{\"object\":\"error\",\"valid\":false,\"code\":\(code),\"message\":\(message)}"
    }

    /// Returns the lines of text.
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

    /// Returns the payload's JSON as signed. The text was verified, so its middle segment is JSON. ``Output`` escapes
    /// control characters.
    private static func signedJSON(_ text: String) -> String {
        CompactJWS.payload(of: text).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    private static func fields(of text: String) -> [String] {
        // The verifier has decoded the JSON already. A value that is not an object has no fields to print.
        guard let value = try? JSONSerialization.jsonObject(with: Data(signedJSON(text).utf8)),
            let object = value as? [String: Any]
        else { return [] }
        return FieldList.lines(object)
    }
}

/// Formats a JSON object as aligned lines, with readable dates and long strings abbreviated.
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
        case let number as NSNumber where number.isBoolean:
            return number.boolValue ? "true" : "false"
        case let number as NSNumber where key.hasSuffix("Date"):
            return "\(Date(timeIntervalSince1970: number.doubleValue / 1000).readable) (\(number))"
        case let text as String where text.count > 200:
            return "\(text.prefix(24).description.printable)… (\(text.utf8.count) bytes)"
        default:
            return "\(value)".printable
        }
    }
}
