/// The header of data that Apple signed. Apple's page: `JWSDecodedHeader`. A decoded header proves nothing: verify the
/// signature.
public struct JWSDecodedHeader: Sendable, Hashable, Codable {
    /// The algorithm, `ES256`.
    public var alg: String
    /// The certificates, leaf first: standard (not URL-safe) Base64 of DER. Three from the App Store, one from Xcode.
    public var x5c: [String]?
    /// `JWT` if present.
    public var typ: String?
    /// The key identifier. Apple removed it from App Store data in 2022; Xcode sends `Apple_Xcode_Key`.
    public var kid: String?

    /// Creates the value from its parts.
    public init(alg: String, x5c: [String]? = nil, typ: String? = nil, kid: String? = nil) {
        self.alg = alg
        self.x5c = x5c
        self.typ = typ
        self.kid = kid
    }
}
