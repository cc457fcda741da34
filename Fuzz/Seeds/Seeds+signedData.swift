import AppStoreServer
import AppStoreTrust
import Crypto
import Foundation
import FuzzSupport
import StoreSimulator
import X509

extension Seeds {
    /// JWS that verify, malformed JWS, and payloads and headers for the harness to sign.
    static func signedData() throws -> [Seed] {
        let authority = try Authority(now: present)
        var seeds: [Seed] = [("Trust/signed-data-root.cer", authority.root.der)]
        for (name, payload) in PayloadSeeds.all {
            seeds.append(seed("signed-data", name + ".json", payload))
            guard ["transaction", "renewal", "notification-data", "realtime-request"].contains(name) else { continue }
            seeds.append(seed("signed-data", name + ".jws", try authority.sign(json: Data(payload.utf8))))
        }
        let headers = [
            "chain": #"{"alg":"ES256","x5c":["%L","%I","%R"]}"#,
            "chain-with-names": #"{"alg":"ES256","kid":"k","typ":"JWT","x5c":["%L","%I","%R"]}"#,
            "critical": #"{"alg":"ES256","crit":["exp"],"x5c":["%L","%I","%R"]}"#,
            "unencoded": #"{"alg":"ES256","b64":false,"x5c":["%L","%I","%R"]}"#,
            "none": #"{"alg":"none","x5c":[]}"#,
            "xcode": #"{"alg":"ES256","kid":"Apple_Xcode_Key","x5c":["%L"]}"#,
        ]
        for (name, header) in headers { seeds.append(seed("signed-data", "header-" + name, "h" + header)) }
        let garbage = Authority.compactGarbage
        for (index, text) in garbage.enumerated() { seeds.append(seed("signed-data", "garbage-\(index)", text)) }
        return seeds + (try xcode())
    }

    /// A JWS like those of Xcode, signed with a generated certificate.
    private static func xcode() throws -> [Seed] {
        let key = P256.Signing.PrivateKey()
        let certificate = try CertificateTemplate(
            commonName: "StoreKit Testing", notBefore: present - 86_400, notAfter: present + 86_400 * 3650,
            basicConstraints: nil, keyUsage: KeyUsage(digitalSignature: true)
        ).issue(for: .init(key))
        let x5c = Data(certificate.der).base64EncodedString()
        let text = try CompactJWS.sign(
            header: #"{"alg":"ES256","kid":"Apple_Xcode_Key","x5c":["\#(x5c)"]}"#.utf8,
            payload: (PayloadSeeds.all["xcode"] ?? "").utf8, with: key)
        return [("Trust/xcode.cer", certificate.der), seed("signed-data", "xcode.jws", text)]
    }
}

extension Authority {
    fileprivate static let compactGarbage = [
        "..", "a.b", "a.b.c.d", "e30.e30.", "e30.e30.e30", "eyJhbGciOiJub25lIn0.e30.",
    ]
}
