import AppStoreModels
import AppStoreServer
import Crypto
import Foundation
import FuzzSupport
import StoreSimulator
import TestSupport

private let stores = [SimulatedStores.new(.production), SimulatedStores.new(.sandbox)]
private let initialBytes = stores.map(\.bytes)
private let key = P256.Signing.PrivateKey()
private let check = BearerCheck(key: key.publicKey, keyID: "KEY", issuerID: "issuer", bundleID: "com.example.app")

/// Sends a request to any endpoint of the App Store's API. The input is the endpoint's number in one byte, the
/// environment in another, a line with the path, a line with the query, and the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAPIRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    guard bytes.count > 2 else { return 0 }
    let endpoint = AppStoreEndpoint.all[Int(bytes[0]) % AppStoreEndpoint.all.count]
    let number = Int(bytes[1] & 1)
    let parts = bytes.dropFirst(2).split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    func part(_ index: Int) -> [UInt8] { index < parts.count ? Array(parts[index]) : [] }
    let (path, query, body) = (
        String(decoding: part(0), as: UTF8.self), String(decoding: part(1), as: UTF8.self), part(2)
    )
    readQuery(query)
    readBody(body)
    checkTokens(body, query)
    _ = try? PNGFile(body)
    if !body.starts(with: [0x89]) { _ = try? PNGFile([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + body) }

    let values = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let names = Dictionary(zip(endpoint.parameters, values)) { first, _ in first }
    send(APIRequest(endpoint, path: names, query: query, body: Data(body)), number)
    return 0
}

private var rendering: APIRendering {
    APIRendering(
        transaction: { $0.transactionId }, renewalInfo: { $0.originalTransactionId },
        appTransaction: { $0.appTransactionId ?? "" }, notification: { String($0) })
}

private func send(_ request: APIRequest, _ number: Int) {
    var store = stores[number]
    let name = request.endpoint.name
    do throws(APIFailure) {
        let answer = try store.respond(to: request, at: SimulatedStores.later)
        Property.require((200..<300).contains(answer.status), "\(name): a response has status \(answer.status)")
        if let body = answer.body {
            let json = Property.success("\(name): a response can be encoded") { try rendering.bytes(body) }
            Property.requireJSON(String(decoding: json, as: UTF8.self), "\(name): a response is JSON")
        }
        guard request.endpoint.method != "GET" else { return }
        let wrong = invariantViolations(of: store, at: SimulatedStores.later)
        Property.require(wrong.isEmpty, "\(name): a store is inconsistent: \(wrong.joined(separator: "; "))")
    } catch {
        Property.require((400..<500).contains(error.status), "\(name): a refusal has status \(error.status)")
        Property.require(
            error.code?.httpStatus ?? error.status == error.status, "\(name): the status is not that of the code")
        Property.require(store.bytes == initialBytes[number], "\(name): a refused request changes something")
    }
}

private func readQuery(_ query: String) {
    guard let parameters = try? QueryParameters(query) else { return }
    // Encode the decoded parameters again: decoding them must return the same.
    let again = parameters.pairs.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
    guard again.utf8.count <= QueryParameters.maximumSize else { return }
    let second = Property.success("an encoded query can be decoded") { try QueryParameters(again) }
    let isSame = second.pairs.elementsEqual(parameters.pairs) { $0 == $1 }
    Property.require(isSame, "a query changes when it is encoded and decoded")
}

private func escaped(_ text: String) -> String {
    text.utf8.map { byte in
        let digits = String(byte, radix: 16)
        return "%" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
}

private func readBody(_ body: [UInt8]) {
    guard let object = try? RequestBody(body) else { return }
    let foundation = try? JSONSerialization.jsonObject(with: Data(body))
    Property.require(foundation is [String: Any], "a body is decoded that Foundation does not decode")
    Property.require((try? RequestBody(body)) == object, "a body decodes differently the second time")
}

/// Checks that unsigned tokens are refused, and that signed ones are accepted only with valid claims.
private func checkTokens(_ body: [UInt8], _ query: String) {
    let text = String(decoding: body, as: UTF8.self)
    for header in [text, "Bearer " + text, query] {
        Property.require((try? check.check(header, now: present)) == nil, "a token without a signature is accepted")
    }
    guard body.first == UInt8(ascii: "{") else { return }
    let header = query.hasPrefix("{") ? query : #"{"alg":"ES256","kid":"KEY","typ":"JWT"}"#
    let token = Property.success("a token can be signed") {
        try CompactJWS.sign(header: Data(header.utf8), payload: Data(body), with: key)
    }
    guard (try? check.check("Bearer " + token, now: present)) != nil else { return }
    let claims = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
    let end = (claims["exp"] as? NSNumber)?.doubleValue ?? 0
    let now = present.timeIntervalSince1970
    Property.require(
        claims["iss"] as? String == "issuer" && claims["bid"] as? String == "com.example.app",
        "a token of another issuer or app is accepted")
    Property.require(
        end > now && end <= now + BearerCheck.maximumLifetime + BearerCheck.tolerance,
        "a token is accepted that expires at \(end)")
    Property.require(
        (try? check.check("Bearer " + token, now: Date(timeIntervalSince1970: end))) == nil,
        "an expired token is accepted")
}
