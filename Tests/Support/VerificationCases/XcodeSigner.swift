package import AppStoreModels
package import Crypto
internal import Foundation
package import StoreSimulator
internal import X509

/// Signs like Xcode: with one self-signed certificate, and a `kid`.
package struct XcodeSigner: Sendable {
    package let certificate: Issued
    package let key: P256.Signing.PrivateKey

    private static let one = Result { try XcodeSigner() }

    /// The signer whose certificate the tests enroll.
    package static func shared() throws -> XcodeSigner { try one.get() }

    package init() throws {
        let key = P256.Signing.PrivateKey()
        var template = CertificateTemplate(
            commonName: "StoreKit Testing in Xcode", notBefore: TestStore.now - 86_400,
            notAfter: TestStore.now + 364 * 86_400, basicConstraints: .isCertificateAuthority(maxPathLength: 0),
            keyUsage: KeyUsage(digitalSignature: true))
        template.organizationalUnit = nil
        self.key = key
        certificate = try template.issue(for: .init(key))
    }

    /// Signs a transaction for an environment.
    package func sign(_ environment: AppStoreEnvironment, kid: String? = "Apple_Xcode_Key") throws -> EditableJWS {
        let kid = kid.map { #","kid":"\#($0)""# } ?? ""
        let x5c = Data(certificate.der).base64EncodedString()
        return try EditableJWS(
            header: Data(#"{"alg":"ES256"\#(kid),"typ":"JWT","x5c":["\#(x5c)"]}"#.utf8),
            payload: Data(Members(.transaction, environment: environment).json.utf8), key: key)
    }
}
