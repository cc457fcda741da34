import AppStoreTrust
import Foundation
import FuzzSupport
import StoreSimulator

private let setup = Property.success("the authority can be created") { try Setup() }

/// Sends an OCSP request. After a first byte below 8, the input is pairs of offset and byte that change a valid
/// request. The response to a path with the request must match that to a body.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOCSPQueries(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    setup.send(bytes)
    _ = setup.services[0].service.reply(toPath: String(decoding: bytes, as: UTF8.self), times: present...present)
    // Change a valid request, because a fuzzer does not find serial numbers and hashes by chance.
    guard let first = bytes.first, first < 8 else { return 0 }
    var request = [UInt8](setup.requests[Int(first & 1)])
    var rest = bytes.dropFirst()
    while rest.count >= 2, let offset = rest.popFirst(), let byte = rest.popFirst() {
        if Int(offset) < request.count { request[Int(offset)] = byte } else { request.append(byte) }
    }
    setup.send(request)
    return 0
}

/// An authority's certificates, a client's requests about them, and one OCSP service for each mode.
private struct Setup: Sendable {
    let questions: [(question: OCSPRequest, issuer: Issued)]
    let requests: [Data]
    let services: [(service: OCSPService, isGood: Bool)]

    init() throws {
        guard let base = URL(string: "http://127.0.0.1:8080/ocsp") else { throw CocoaError(.formatting) }
        let authority = try StoreAuthority(
            .init(ocspBaseURL: base, validity: (present - 86_400 * 365)...(present + 86_400 * 3650)))
        let current = authority.current
        questions = [
            (
                try OCSPRequest(
                    certificate: current.leaf.certificate, issuer: current.intermediate.certificate),
                current.intermediate
            ),
            (
                try OCSPRequest(certificate: current.intermediate.certificate, issuer: authority.root.certificate),
                authority.root
            ),
        ]
        requests = try questions.map { try $0.question.encoded() }
        let modes: [(OCSPService.Mode, Bool)] = [
            (.good, true), (.slow(seconds: 5), true), (.revoked(at: present - 60), false), (.unknown, false),
            (.expired, false), (.wrong, false), (.unreachable, false),
        ]
        services = modes.map { mode, isGood in
            var service = OCSPService(authority)
            service.defaultMode = mode
            return (service, isGood)
        }
    }

    func send(_ request: [UInt8]) {
        for (service, isGood) in services {
            let reply = service.reply(to: request, times: present...present)
            Property.require(
                (0...OCSPService.maximumDelay).contains(reply.delay), "the delay of a reply is out of range")
            let path = Data(request).base64EncodedString()
            for path in [path, path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""] {
                let again = service.reply(toPath: path, times: present...present)
                // Compare the kind only, because the signatures of two replies differ.
                Property.require(
                    again.delay == reply.delay && kind(again) == kind(reply),
                    "a path gets another reply than a body: \(kind(again)), not \(kind(reply))")
            }
            guard let body = reply.body else { continue }
            for (question, issuer) in questions {
                let answer = try? VerifiedOCSPResponse(
                    der: body, to: question, issuer: issuer.certificate, now: present)
                guard let answer, case .good = answer.status else { continue }
                Property.require(isGood, "a client accepts a certificate that is not good")
            }
            // A reply of five bytes is an error about the request, which is the same in all modes.
            if body.count == 5 { return }
        }
    }

    /// Returns the kind of a reply: none, an error with its status, or a signed response.
    private func kind(_ reply: OCSPService.Reply) -> String {
        guard let body = reply.body else { return "nothing" }
        return body.count == 5 ? "refusal \(body[body.startIndex + 4])" : "answer"
    }
}
