import AppStoreTrust
import Crypto
import Foundation
import FuzzSupport
import StoreSimulator
import SwiftASN1
import X509

extension Seeds {
    /// Chains as consecutive DER elements, a valid one and some that break one rule each; and certificate files.
    static func certificates() throws -> [Seed] {
        var changes: [(name: String, changes: Authority.Changes)] = [("good", .init())]
        func add(_ name: String, _ change: (inout Authority.Changes) -> Void) {
            var all = Authority.Changes()
            change(&all)
            changes.append((name, all))
        }
        add("leaf-is-authority") { $0.leaf = { $0.basicConstraints = .isCertificateAuthority(maxPathLength: nil) } }
        add("intermediate-without-constraints") { $0.intermediate = { $0.basicConstraints = nil } }
        add("intermediate-without-usage") { $0.intermediate = { $0.keyUsage = nil } }
        add("root-with-path-length") { $0.root = { $0.basicConstraints = .isCertificateAuthority(maxPathLength: 0) } }
        add("leaf-without-marker") { $0.leaf = { $0.markers = [] } }
        add("leaf-version-1") { $0.leaf = { $0.version = .v1 } }
        add("leaf-with-critical-extension") {
            $0.leaf = { $0.extraExtensions = [.init(oid: [1, 2, 3, 4], critical: true, value: [5, 0])] }
        }
        var seeds: [Seed] = []
        for (name, changes) in changes {
            let authority = try Authority(now: present, changes: changes)
            seeds.append(seed("certificates", "chain-" + name, authority.chain.joined()))
            guard name == "good" else { continue }
            let pem =
                try authority.root.certificate.serializeAsPEM().pemString + "\n"
                + authority.leaf.certificate.serializeAsPEM().pemString
            seeds.append(seed("certificates", "file.pem", pem))
            seeds.append(seed("certificates", "file.cer", authority.leaf.der))
        }
        return seeds
    }

    /// OCSP responses of all kinds, and the response data inside them.
    static func ocspResponses() throws -> [Seed] {
        let parties = try OCSPParties()
        let request = try OCSPQuery(der: parties.question.encoded())
        var seeds: [Seed] = []
        func add(_ name: String, _ change: (inout OCSPResponder) -> Void) throws {
            var responder = OCSPResponder(issuer: parties.issuer, now: present)
            change(&responder)
            let response = try responder.answer(request)
            seeds.append(seed("ocsp-responses", name, response))
            seeds.append(seed("ocsp-responses", name + "-data", try responseData(Array(response))))
        }
        try add("good") { _ in }
        try add("revoked") { $0.status = .revoked(present - 86_400) }
        try add("unknown") { $0.status = .unknown }
        try add("without-end") { $0.nextUpdate = nil }
        try add("for-years") { $0.nextUpdate = present + 3650 * 86_400 }
        try add("stale") { $0.nextUpdate = present - 1 }
        try add("delegated") { $0.delegate = parties.delegate }
        try add("another-certificate") { $0.serialNumber = [9] }
        try add("forged") { $0.forgesSignature = true }
        seeds.append(seed("ocsp-responses", "try-later", [0x30, 0x03, 0x0A, 0x01, 0x03]))
        return seeds
    }

    private static func responseData(_ response: [UInt8]) throws -> [UInt8] {
        func children(_ node: ASN1Node?) -> [ASN1Node] {
            guard let node, case .constructed(let nodes) = node.content else { return [] }
            return Array(nodes)
        }
        let bytes = children(children(children(try DER.parse(response)).last).first).last
        guard let bytes, case .primitive(let basic) = bytes.content, let data = children(try DER.parse(basic)).first
        else { throw CocoaError(.coderReadCorrupt) }
        return Array(data.encodedBytes)
    }
}
