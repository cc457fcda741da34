import AppStoreModels
import Basics
import Foundation

extension AppStoreServerError {
    /// Creates an error from a response that is not a success. Removes `token` from all stored text.
    init(_ response: HTTPTransportResponse, hiding token: String) {
        let payload =
            response.body.count <= 1 << 16 ? try? JSONDecoder().decode(ErrorPayload.self, from: response.body) : nil
        switch response.status {
        case 401:
            self.init(
                .unauthorized, "the App Store does not accept the token; check the key, and this machine's clock")
        case 429: self.init(.rateLimited, "the hourly quota is used up")
        case 400...499: self.init(.refused, "the App Store refused the request")
        case 500...599: self.init(.serverFailure, "the App Store failed")
        default:
            self.init(.unexpectedStatus, "the App Store never sends this status; a proxy or another server responded")
        }
        status = response.status
        apiCode = payload?.errorCode
        apiMessage = payload?.errorMessage.map { Self.beginning(of: $0, hiding: token) }
        body = Self.beginning(of: response.body, hiding: token)
        retryAfter = response.header("Retry-After").flatMap(Self.date)
    }

    /// Creates an error from a failure of the transport. Shortens its text and removes `token` from it.
    init(_ failure: any Error, hiding token: String) {
        let code: Code =
            switch (failure as? HTTPTransportError)?.code {
            case .timeout?: .timeout
            case .connectionRefused?: .unreachable
            case .responseTooLarge?: .responseTooLarge
            default: .transport
            }
        let text = (failure as? HTTPTransportError)?.message ?? "\(failure)"
        self.init(code, Self.beginning(of: text, hiding: token))
    }

    /// Returns the error with the beginning of a response body. Removes `token` from it.
    func adding(_ body: Data, hiding token: String) -> AppStoreServerError {
        var error = self
        error.body = Self.beginning(of: body, hiding: token)
        return error
    }

    private static let hidden = "[hidden]"

    // Compares bytes: a combining accent after the token would change its last character.
    private static func beginning(of text: String, hiding token: String) -> String {
        String(String(decoding: beginning(of: Data(text.utf8), hiding: token), as: UTF8.self).prefix(500))
    }

    private static func beginning(of body: Data, hiding token: String) -> Data {
        let secret = Data(token.utf8)
        var (kept, rest) = (Data(), body[...])
        while kept.count < maximumBodySize {
            // A token that begins in the stored part ends within this window.
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

    // Unlike RFC 9110 §10.2.3, the App Store sends milliseconds since 1970. A number of seconds, as a proxy sends it, is
    // smaller than every such instant since 2001, and would otherwise become an instant in January 1970.
    private static func date(_ retryAfter: String) -> Date? {
        guard let milliseconds = Int64(retryAfter.trimmingCharacters(in: .whitespaces)),
            milliseconds >= 1_000_000_000_000
        else { return nil }
        return Date(millisecondsSince1970: milliseconds)
    }

    /// Creates the error for a successful response that cannot be decoded. Names the member, but no value: the response
    /// may contain personal data.
    package static func undecodable(_ error: any Error) -> AppStoreServerError {
        let path = (error as? DecodingError)?.path.map { $0.intValue.map(String.init) ?? $0.stringValue } ?? []
        let place = String(path.joined(separator: ".").prefix(200))
        return AppStoreServerError(
            .undecodableResponse,
            place.isEmpty ? "the response is not the expected JSON" : "the response has no usable \(place)")
    }
}
