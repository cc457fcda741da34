import AppStoreTrust
import Foundation
import FuzzSupport
import SwiftASN1
import X509

/// Reads a certificate file, and verifies a chain made of the file's DER elements.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCertificates(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    readFile(bytes)
    verifyChain(elements(of: bytes))
    return 0
}

private func readFile(_ bytes: [UInt8]) {
    let certificates: [(der: [UInt8], certificate: Certificate)]
    do throws(VerificationError) {
        certificates = try CertificateFile.read(Data(bytes))
    } catch {
        Property.require(
            error.code == .certificateMalformed, "a refused file has another code than certificateMalformed: \(error)")
        return
    }
    for (der, certificate) in certificates {
        let again = Property.success("an accepted certificate can be read again") { try Certificate(derEncoded: der) }
        Property.require(again == certificate, "an accepted certificate is the same when it is read again")
        _ = CertificateSummary(certificate, der: der)
        _ = certificate.shortName
    }
    let anchors = try? TrustAnchors(certificates: [Data(bytes)])
    Property.require((anchors != nil) == !certificates.isEmpty, "a file with certificates makes anchors")
    for (der, _) in certificates {
        Property.require(anchors?.name(ofRoot: der) != nil, "each certificate of the file is an anchor")
    }
}

/// The signed parts of the seeds' certificates. No other certificate may verify.
private let signed: Set<[UInt8]> = Property.success("the seeds can be read") {
    var signed: Set<[UInt8]> = []
    for seed in try Material.seeds("certificates") {
        for element in elements(of: Array(seed)) {
            if let certificate = try? Certificate(derEncoded: element) {
                signed.insert(Array(certificate.tbsCertificateBytes))
            }
        }
    }
    return signed
}

/// Verifies a chain whose last certificate is trusted, so that the input reaches the rules after the search for an
/// anchor.
private func verifyChain(_ ders: [[UInt8]]) {
    guard let last = ders.last, let anchors = try? TrustAnchors(certificates: [Data(last)]) else { return }
    let chain: CertificateChain
    do throws(VerificationError) {
        chain = try CertificateChain(ders: ders, anchors: anchors, markers: .appStore)
    } catch {
        return
    }
    Property.require(ders.count == 3, "a chain has three certificates")
    for certificate in [chain.leaf, chain.intermediate] {
        Property.require(
            signed.contains(Array(certificate.tbsCertificateBytes)),
            "a verified chain has a certificate without a valid signature")
        Property.require(
            certificate.extensions[oid: ChainMarkers.appStore.leaf] != nil
                || certificate.extensions[oid: ChainMarkers.appStore.intermediate] != nil, "a marker is missing")
    }
    do throws(VerificationError) {
        _ = try CertificateChain(ders: ders, anchors: .apple, markers: .appStore)
        Property.fail("a chain to another root is accepted with Apple's roots")
    } catch {
        Property.require(
            error.code == .untrustedRoot, "the chain is refused for another reason than its root: \(error)")
    }
    _ = try? chain.certificates.requireValid(at: present)
}

/// Splits `bytes` into consecutive DER elements, at most four. An element without a two-byte length takes all remaining
/// bytes.
private func elements(of bytes: [UInt8]) -> [[UInt8]] {
    var (elements, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], bytes[...])
    while !rest.isEmpty, elements.count < 4 {
        let header = Array(rest.prefix(4))
        var length = rest.count
        if header.count == 4, header[1] == 0x82 { length = 4 + Int(header[2]) << 8 + Int(header[3]) }
        elements.append(Array(rest.prefix(length)))
        rest = rest.dropFirst(length)
    }
    return elements
}
