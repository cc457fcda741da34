import AppStoreTrust
import Foundation
import FuzzSupport
import StoreSimulator

private let world = Property.success("the authority exists") { try World() }

/// A request as somebody sends it; or, after a byte below eight, changes to a real one: a place and what goes there, one
/// pair after another. A path with the request in it gets the answer that a body gets.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOCSPQueries(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    world.ask(bytes)
    _ = world.services[0].service.reply(toPath: String(decoding: bytes, as: UTF8.self), times: present...present)
    // Serial numbers and hashes are not to be found by chance.
    guard let first = bytes.first, first < 8 else { return 0 }
    var request = [UInt8](world.requests[Int(first & 1)])
    var rest = bytes.dropFirst()
    while rest.count >= 2, let place = rest.popFirst(), let byte = rest.popFirst() {
        if Int(place) < request.count { request[Int(place)] = byte } else { request.append(byte) }
    }
    world.ask(request)
    return 0
}

/// An authority with one service for each way to answer, and what a client asks.
private struct World: Sendable {
    let questions: [(question: OCSPQuestion, issuer: Issued)]
    let requests: [Data]
    let services: [(service: OCSPService, isGood: Bool)]

    init() throws {
        guard let base = URL(string: "http://127.0.0.1:8080/ocsp") else { throw CocoaError(.formatting) }
        let authority = try StoreAuthority(
            .init(ocspBaseURL: base, validity: (present - 86_400 * 365)...(present + 86_400 * 3650)))
        let current = authority.current
        questions = [
            (
                try OCSPQuestion(
                    certificate: current.leaf.certificate, issuer: current.intermediate.certificate),
                current.intermediate
            ),
            (
                try OCSPQuestion(certificate: current.intermediate.certificate, issuer: authority.root.certificate),
                authority.root
            ),
        ]
        requests = try questions.map { try $0.question.request() }
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

    func ask(_ request: [UInt8]) {
        for (service, isGood) in services {
            let reply = service.reply(to: request, times: present...present)
            Property.require((0...OCSPService.longestDelay).contains(reply.delay), "a reply waits for too long")
            let path = Data(request).base64EncodedString()
            for path in [path, path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""] {
                let again = service.reply(toPath: path, times: present...present)
                // Signatures differ each time; what is refused is not signed.
                Property.require(
                    again.delay == reply.delay && kind(again) == kind(reply),
                    "a path gets another answer than a body: \(kind(again)), not \(kind(reply))")
            }
            guard let body = reply.body else { continue }
            for (question, issuer) in questions {
                let answer = try? OCSPAnswer(
                    der: body, to: question, issuer: issuer.certificate, now: present)
                guard let answer, case .good = answer.status else { continue }
                Property.require(isGood, "a client takes a certificate for good that is not")
            }
            // Who cannot be understood has the same trouble whatever the mode is, and needs no other.
            if body.count == 5 { return }
        }
    }

    /// What can be told of a reply without its signature: nothing, a refusal and which, or an answer.
    private func kind(_ reply: OCSPService.Reply) -> String {
        guard let body = reply.body else { return "nothing" }
        return body.count == 5 ? "refusal \(body[body.startIndex + 4])" : "answer"
    }
}
