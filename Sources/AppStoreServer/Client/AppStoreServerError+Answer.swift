import AppStoreModels
import Foundation

extension AppStoreServerError {
    /// Reads an answer that is no success. `token` is cut out of whatever is kept.
    init(_ answer: HTTPTransportAnswer, hiding token: String) {
        let payload =
            answer.body.count <= 1 << 16 ? try? JSONDecoder().decode(ErrorPayload.self, from: answer.body) : nil
        switch answer.status {
        case 401:
            self.init(
                .unauthorized, "the App Store does not accept the token; check the key, and this machine's clock")
        case 429: self.init(.rateLimited, "the hourly quota is used up")
        case 400...499: self.init(.refused, "the App Store refused the request")
        case 500...599: self.init(.serverFailure, "the App Store failed")
        default: self.init(.unexpectedStatus, "the App Store does not answer like this")
        }
        status = answer.status
        apiCode = payload?.errorCode
        apiMessage = payload?.errorMessage.map { String($0.replacing(token, with: Self.hidden).prefix(500)) }
        body = Self.beginning(of: answer.body, hiding: token)
        retryAfter = answer.header("Retry-After").flatMap(Self.date)
    }

    /// A failure of the transport. What it says is cut short and freed of `token`.
    init(_ failure: any Error, hiding token: String) {
        let code: Code =
            switch (failure as? HTTPTransportError)?.code {
            case .timeout?: .timeout
            case .refused?: .unreachable
            case .answerTooLarge?: .answerTooLarge
            default: .transport
            }
        let text = (failure as? HTTPTransportError)?.message ?? "\(failure)"
        self.init(code, String(text.replacing(token, with: Self.hidden).prefix(500)))
    }

    private static let hidden = "[hidden]"

    private static func beginning(of body: Data, hiding token: String) -> Data {
        let secret = Data(token.utf8)
        var (kept, rest) = (Data(), body[...])
        while kept.count < maximumBodySize {
            // A secret that begins in what is kept ends within this.
            let window = rest.prefix(maximumBodySize + secret.count)
            guard !secret.isEmpty, let range = window.firstRange(of: secret) else {
                kept += window
                break
            }
            kept += rest[..<range.lowerBound] + Data(hidden.utf8)
            rest = rest[range.upperBound...]
        }
        return Data(kept.prefix(maximumBodySize))
    }

    // Unlike what HTTP says (RFC 9110 §10.2.3), the App Store means milliseconds since 1970.
    private static func date(_ retryAfter: String) -> Date? {
        guard let milliseconds = Int64(retryAfter.trimmingCharacters(in: .whitespaces)), milliseconds > 0 else {
            return nil
        }
        return Date(millisecondsSince1970: milliseconds)
    }

    /// A success that cannot be read. Says where, not what: the answer may hold personal data.
    package static func undecodable(_ error: any Error) -> AppStoreServerError {
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .dataCorrupted(let context)?, .keyNotFound(_, let context)?, .typeMismatch(_, let context)?,
                .valueNotFound(_, let context)?:
                context
            default: nil
            }
        let path = (context?.codingPath ?? []).map { $0.intValue.map(String.init) ?? $0.stringValue }
        let missing: String? =
            if case .keyNotFound(let key, _)? = error as? DecodingError { key.stringValue } else { nil }
        let place = String((path + (missing.map { [$0] } ?? [])).joined(separator: ".").prefix(200))
        return AppStoreServerError(
            .undecodableAnswer,
            place.isEmpty ? "the answer is not the JSON it should be" : "the answer has no usable \(place)")
    }
}
